package dev.holdfast.server.lease;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.spi.AcquireOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Asks again for many waiting requests in one call to the store. Thread-safe. */
final class Polls {
    private static final int MOST_PER_CALL = 128;
    private static final int MOST_CALLS = 4;

    private final StoreLink link;
    private final StoreThreads threads;
    private final Queue<Acquisition> due = new ConcurrentLinkedQueue<>();
    private final AtomicInteger calls = new AtomicInteger();

    Polls(StoreLink link, StoreThreads threads) {
        this.link = link;
        this.threads = threads;
    }

    void add(Acquisition waiting) {
        due.add(waiting);
        start();
    }

    private void start() {
        if (due.isEmpty() || calls.incrementAndGet() > MOST_CALLS) {
            calls.decrementAndGet();
            return;
        }
        try {
            threads.ask(this::poll);
        } catch (Problem full) {
            calls.decrementAndGet();
            List<Acquisition> refused = take(Integer.MAX_VALUE);
            refused.forEach(waiting -> waiting.failed(
                    new StoreUnavailableException("poll", waiting.claim().describe(), full)));
        }
    }

    private void poll() {
        List<Acquisition> some = take(MOST_PER_CALL);
        try {
            if (!some.isEmpty()) {
                ask(some);
            }
        } finally {
            calls.decrementAndGet();
            start();
        }
    }

    private void ask(List<Acquisition> some) {
        long sent = link.now();
        List<AcquireOutcome> outcomes;
        try {
            outcomes = link.store().poll(some.stream().map(Acquisition::claim).toList());
        } catch (RuntimeException failure) {
            some.forEach(waiting -> waiting.failed(failure));
            return;
        }
        for (int i = 0; i < some.size(); i++) {
            some.get(i).answered(sent, outcomes.get(i), false);
        }
    }

    private List<Acquisition> take(int most) {
        List<Acquisition> some = new ArrayList<>();
        while (some.size() < most) {
            Acquisition next = due.poll();
            if (next == null) {
                break;
            }
            some.add(next);
        }
        return some;
    }
}
