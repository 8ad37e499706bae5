package dev.holdfast.server.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.server.lease.StoreLink;
import dev.holdfast.server.lease.StoreThreads;
import dev.holdfast.server.wire.Call;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tells load balancers and service managers whether this instance can answer. Open to everybody, so it asks seldom. */
final class HealthApi {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StoreLink link;
    private final StoreThreads threads;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile Sighting newest = new Sighting(true, Long.MIN_VALUE / 2);

    private record Sighting(boolean answers, long atNanos) {}

    HealthApi(StoreLink link, StoreThreads threads) {
        this.link = link;
        this.threads = threads;
    }

    /** {@code GET /health}. */
    void health(Call call, boolean stopping) {
        Sighting seen = newest;
        if (stopping) {
            call.answer(503, Map.of("status", "stopping"));
        } else if (link.now() - seen.atNanos < FRESH_NANOS || !asking.compareAndSet(false, true)) {
            answer(call, seen);
        } else {
            threads.look(() -> {
                try {
                    boolean answers = ping();
                    newest = new Sighting(answers, link.now());
                } finally {
                    asking.set(false);
                }
                answer(call, newest);
            });
        }
    }

    private boolean ping() {
        try {
            link.store().ping();
            return true;
        } catch (HoldfastException silent) {
            return false;
        }
    }

    private static void answer(Call call, Sighting seen) {
        if (seen.answers) {
            call.answer(200, Map.of("status", "ok"));
        } else {
            call.answer(503, Map.of("status", "the store does not answer"));
        }
    }
}
