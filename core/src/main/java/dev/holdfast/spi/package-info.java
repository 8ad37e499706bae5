/**
 * What a store has to offer, for authors of stores. The engine owns time (waiting, retrying, renewing, declaring loss);
 * a store owns atomicity and never waits for a holder.
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
