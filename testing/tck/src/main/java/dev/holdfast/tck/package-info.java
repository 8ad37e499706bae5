/**
 * The contract of Holdfast's stores as a suite of JUnit tests, for the stores of this project and for anybody's own.
 *
 * <p>A store's author writes three small classes that extend {@link dev.holdfast.tck.StoreContract} (the atomic steps of
 * the SPI), {@link dev.holdfast.tck.LockStoreContract} (what programs see, the engine included) and
 * {@link dev.holdfast.tck.OutageContract} (what programs see while the store cannot be reached, and afterwards). What a
 * store does not promise in its {@link dev.holdfast.StoreTraits traits}, and a fault that it cannot have, is reported
 * as an assumption that does not hold, test by test, and once more in a line at the end.
 */
@NullMarked
package dev.holdfast.tck;

import org.jspecify.annotations.NullMarked;
