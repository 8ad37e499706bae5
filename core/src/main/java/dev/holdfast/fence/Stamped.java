package dev.holdfast.fence;

/**
 * A value with the largest token that has touched it.
 *
 * @param value the value
 * @param token the token; 0 before the first
 * @param <V> the kind of value
 */
public record Stamped<V>(V value, long token) {}
