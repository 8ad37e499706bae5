package dev.holdfast.bench.ruler;

import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Counts what goes on between a Redis server and its clients. Used by one thread. */
final class RedisTraffic {
    private final RedisNode redis;

    /** Answers to these are not what clients ask for. */
    private long questions;

    RedisTraffic(RedisNode redis) {
        this.redis = redis;
    }

    /**
     * Counts what clients send, without what their scripts do inside the server. Commands that were sent together count
     * one by one, so this is no less than round trips.
     */
    long commands(Duration time) {
        try (RespConnection monitor = redis.connect()) {
            monitor.ask("MONITOR");
            long begin = System.nanoTime();
            long count = 0;
            while (System.nanoTime() - begin < time.toNanos()) {
                try {
                    // 1339518083.107412 [0 127.0.0.1:60866] "evalsha" …  or, from inside a script, [0 lua]
                    if (!String.valueOf(monitor.reply()).contains(" lua] ")) {
                        count++;
                    }
                } catch (SocketTimeoutException nothingWasSent) {
                    // Silence is what good clients are made of.
                }
            }
            return count;
        } catch (IOException failed) {
            throw new UncheckedIOException("the server cannot be watched", failed);
        }
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
