package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.Call;
import dev.holdfast.spi.OwnerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a node must still be told. Of one claim the latest word is enough. When there is too much, what the node forgets by
 * itself soonest is dropped first. Thread-safe.
 */
final class DeferredCalls {
    private static final int MOST = 10_000;

    /** Guarded by this object's monitor, like the next ones. */
    private final Map<Key, DeferredCall> byKey = new HashMap<>();

    private final TreeSet<DeferredCall> byEnd =
            new TreeSet<>(Comparator.comparingLong(DeferredCall::untilNanos).thenComparingLong(DeferredCall::number));

    private long numbers;

    /** What a call is about. */
    enum Topic {
        /** To hold with another counter. */
        EPOCH,
        /** To give back what some attempts took. */
        UNDO
    }

    /** Calls with equal keys replace each other. */
    record Key(Topic topic, String name, OwnerId owner) {}

    /**
     * Something to tell.
     *
     * @param attempt up to which attempt of its claim it goes; it says all that those of earlier attempts would say
     * @param call makes what is sent
     * @param untilNanos when the node will have forgotten by itself
     * @param number tells it from others that end at the same time
     */
    record DeferredCall(Key key, long attempt, Supplier<Call> call, long untilNanos, long number) {}

    synchronized void add(Key key, long attempt, Supplier<Call> call, long untilNanos) {
        DeferredCall known = byKey.get(key);
        if (known == null) {
            keep(new DeferredCall(key, attempt, call, untilNanos, numbers++));
            return;
        }
        DeferredCall later = known.attempt > attempt
                ? new DeferredCall(key, known.attempt, known.call, untilNanos, numbers++)
                : new DeferredCall(key, attempt, call, untilNanos, numbers++);
        keep(
                later.untilNanos < known.untilNanos
                        ? new DeferredCall(key, later.attempt, later.call, known.untilNanos, later.number)
                        : later);
    }

    private void keep(DeferredCall call) {
        DeferredCall replaced = byKey.put(call.key, call);
        if (replaced != null) {
            byEnd.remove(replaced);
        }
        byEnd.add(call);
        if (byKey.size() > MOST) {
            drop(byEnd.pollFirst());
        }
    }

    private void drop(@Nullable DeferredCall call) {
        if (call != null) {
            byKey.remove(call.key);
        }
    }

    synchronized boolean isEmpty() {
        return byKey.isEmpty();
    }

    /** Takes some out, those first that the node would remember longest; what does not matter any more is gone. */
    synchronized List<DeferredCall> take(int most, long nowNanos) {
        while (!byEnd.isEmpty() && byEnd.first().untilNanos - nowNanos < 0) {
            drop(byEnd.pollFirst());
        }
        List<DeferredCall> some = new ArrayList<>();
        while (some.size() < most && !byEnd.isEmpty()) {
            DeferredCall last = byEnd.pollLast();
            drop(last);
            some.add(last);
        }
        return some;
    }

    /** Puts back what could not be told, unless there is a later word by now. */
    synchronized void putBack(DeferredCall untold) {
        add(untold.key, untold.attempt, untold.call, untold.untilNanos);
    }
}
