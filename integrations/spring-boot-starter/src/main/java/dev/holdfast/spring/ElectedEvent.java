package dev.holdfast.spring;

import dev.holdfast.Lease;

/**
 * This instance leads now. Published on the election's thread; a listener must not block for long.
 *
 * @param election the name of the election
 * @param lease the lease of the term, with the token to fence with
 */
public record ElectedEvent(String election, Lease lease) {}
