package dev.holdfast.server.lease;

/**
 * A lease as it is told to a client.
 *
 * @param id what an instance must know of it
 * @param text the id, signed
 * @param validUntilNanos until when it is certainly held, by this server's clock; computed from before the store was asked
 * @param repeated whether an earlier request may have been told of it
 */
public record HeldLease(LeaseId id, String text, long validUntilNanos, boolean repeated) {}
