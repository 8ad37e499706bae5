package dev.holdfast.bench.ruler;

import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Counts what clients send to a server, without what their scripts do inside it. */
final class CommandCount {
    private CommandCount() {}

    /** Counts for a while. Commands that were sent together count one by one, so this is no less than round trips. */
    static long over(RedisNode redis, Duration time) {
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
}
