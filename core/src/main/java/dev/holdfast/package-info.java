/**
 * Distributed locks: what a program that uses Holdfast sees.
 *
 * <p>Start with {@link dev.holdfast.Holdfast#connect(String)}. Everything here is safe for use by many threads unless
 * it says otherwise. Three outcomes are never blended: <em>contended</em> is a value (an empty {@code Optional}),
 * <em>lost</em> is {@link dev.holdfast.LeaseLostException}, and <em>cannot tell</em> is
 * {@link dev.holdfast.StoreUnavailableException}.
 */
@NullMarked
package dev.holdfast;

import org.jspecify.annotations.NullMarked;
