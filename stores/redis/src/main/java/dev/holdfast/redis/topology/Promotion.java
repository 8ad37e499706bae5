package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.HostAndPort;

/**
 * What sentinels say in one answer: who is master, and as how many times one was promoted.
 *
 * @param master where it is
 * @param generation the configuration epoch of its promotion, which grows with every promotion
 */
record Promotion(HostAndPort master, long generation) {}
