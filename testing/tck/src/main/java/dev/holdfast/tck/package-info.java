/**
 * The contract of Holdfast's stores as a suite of JUnit tests, for the stores of this project and for anybody's own.
 *
 * <p>A store's author writes two small classes, one that extends {@link dev.holdfast.tck.StoreContract} (the atomic steps
 * of the SPI) and one that extends {@link dev.holdfast.tck.LockStoreContract} (what programs see, the engine included).
 * What a store does not promise in its {@link dev.holdfast.StoreTraits traits} is reported as an assumption that
 * does not hold, test by test, and once more in a line per promise at the end.
 */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
