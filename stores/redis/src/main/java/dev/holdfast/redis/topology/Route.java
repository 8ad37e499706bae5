package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Server;

/**
 * Where a key is, and since which promotion. Both come from one answer, because a server must never be asked under the
 * generation of another: two that grant under the same one could give the same token.
 *
 * @param server answers for the key
 * @param generation what whoever coordinates the servers has counted up to when it chose this one; 0 without a coordinator
 */
public record Route(Server server, long generation) {}
