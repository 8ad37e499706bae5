package dev.holdfast.bench.ruler;

import dev.holdfast.rig.redis.RedisNode;

/** Counts what goes on between a Redis server and its clients. Used by one thread. */
final class RedisTraffic {
    private final RedisNode redis;

    /** Answers to these are not what clients ask for. */
    private long questions;

    RedisTraffic(RedisNode redis) {
        this.redis = redis;
    }

    /**
     * How often the server has written to a client: once for commands that came together, so these are round trips, and
     * messages to subscribers.
     */
    long answers() {
        questions++;
        return Long.parseLong(info("total_writes_processed")) - questions;
    }

    /** One of the fields that the server tells about itself. */
    String info(String field) {
        return String.valueOf(redis.ask("INFO"))
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("Redis does not tell its " + field));
    }
}
