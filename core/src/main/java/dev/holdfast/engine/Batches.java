package dev.holdfast.engine;

import dev.holdfast.spi.LockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is due at the store, sent in requests that many share. Usually only a few requests are under way. While these
 * hang, one more is sent every now and then: a request that waits for one silent server must not hold up what concerns
 * the others. Whatever goes wrong, each thing gets an answer or a failure, and later ones are sent. Thread-safe; adding and
 * removing are allowed with a gate's monitor held.
 *
 * @param <T> what a request is about
 * @param <R> the kind of answer
 */
final class Batches<T, R> extends Timed {
    private static final int MOST_PER_REQUEST = 1_000;
    private static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** While more than this many requests hang, the pause is longer: about so many are sent in one command timeout. */
    private static final int MOST_AFTER_SHORT_PAUSES = 8;

    private static final int MORE_PER_TIMEOUT = 40;

    /** When the client closes, everything is to be said within one command timeout. */
    private static final int MOST_IN_A_HURRY = 64;

    private final Engine engine;
    private final StoreCalls.Lane lane;
    private final Request<T, R> request;
    private final int usualAtOnce;
    private final int mostAtOnce;

    /** In the order in which they are sent; guarded by this object's monitor, as are the next three. */
    private final Set<T> due;

    private boolean hurries;
    private int underWay;
    private long lastSentNanos;

    /** How often somebody has called for work since a thread began to see to it. */
    private final AtomicInteger calledToWork = new AtomicInteger();

    /** What is asked of the store. */
    interface Request<T, R> {
        /** How many things at most share a request with a given one. */
        default int mostTogether(T one) {
            return MOST_PER_REQUEST;
        }

        /** Whether something still has to be asked for when its turn comes; no monitor is held. */
        default boolean isNeeded(T one) {
            return true;
        }

        /** Asks; the calling thread may wait for the store. */
        List<R> ask(LockStore store, List<T> batch);

        /** How many answers are for one thing. */
        default int answersTo(T one) {
            return 1;
        }

        /** Receives the answers to one thing; null if the store did not answer, with the reason if it is known. */
        void take(T one, long sentNanos, @Nullable List<R> answers, @Nullable Throwable failure);
    }

    /**
     * Sets up requests of one kind.
     *
     * @param usualAtOnce how many requests may always be under way
     * @param mostAtOnce how many may be under way while others hang
     * @param due an empty set that keeps the order in which things are sent
     */
    Batches(Engine engine, StoreCalls.Lane lane, Request<T, R> request, int usualAtOnce, int mostAtOnce, Set<T> due) {
        this.engine = engine;
        this.lane = lane;
        this.request = request;
        this.usualAtOnce = usualAtOnce;
        this.mostAtOnce = mostAtOnce;
        this.due = due;
    }

    /** Adds something; {@link #work} sends it. */
    synchronized void add(T item) {
        due.add(item);
    }

    /** Adds something that is sent together with everything else that comes up at this moment. */
    synchronized void addSoon(T item, long now) {
        if (due.isEmpty()) {
            engine.timeline.schedule(this, now);
        }
        due.add(item);
    }

    /** Takes something back; false if it has been sent or was never added. */
    synchronized boolean remove(T item) {
        return due.remove(item);
    }

    synchronized void removeIf(Predicate<? super T> goes) {
        due.removeIf(goes);
    }

    /** The client closes, and everything is due. Earlier, each thing would have a request of its own. */
    void hurry() {
        synchronized (this) {
            hurries = true;
        }
        work();
    }

    @Override
    public void onDue() {
        work();
    }

    /**
     * Sends what is due, as far as there is room. One thread at a time does; a call that fails at once comes back here. Whoever
     * finds another one at it leaves a mark in the counter. The other takes off only the marks that it saw before it looked for
     * what is due, and looks again as long as one is left: so nothing is overlooked that was added before a mark.
     */
    void work() {
        if (calledToWork.getAndIncrement() > 0) {
            return;
        }
        for (int heard = 1; heard > 0; heard = calledToWork.addAndGet(-heard)) {
            try {
                for (List<T> batch = next(); !batch.isEmpty(); batch = next()) {
                    send(batch);
                }
            } catch (RuntimeException | Error broken) {
                workLater(broken);
            }
        }
    }

    private void workLater(Throwable broken) {
        Log.error("a request to the store could not be made", broken);
        try {
            engine.timeline.schedule(this, engine.now() + SHORT_PAUSE_NANOS);
        } catch (RuntimeException | Error stillBroken) {
            Log.error("a request to the store could not be put off", stillBroken);
        }
    }

    private void send(List<T> batch) {
        try {
            List<T> needed = batch.stream().filter(request::isNeeded).toList();
            if (needed.isEmpty()) {
                take(needed, 0, null, null);
            } else {
                engine.calls.submit(
                        lane,
                        () -> true,
                        store -> request.ask(store, needed),
                        (sentNanos, answers, failure) -> take(needed, sentNanos, answers, failure));
            }
        } catch (RuntimeException | Error unsent) {
            take(batch, engine.now(), null, unsent);
        }
    }

    private void take(List<T> batch, long sentNanos, @Nullable List<R> answers, @Nullable Throwable failure) {
        try {
            Answers.divide(
                    batch, request::answersTo, answers, (one, own) -> request.take(one, sentNanos, own, failure));
        } finally {
            synchronized (this) {
                underWay--;
            }
            work();
        }
    }

    /** What the next request is about; nothing if nothing is due or there is no room. */
    private synchronized List<T> next() {
        if (due.isEmpty() || !hasRoomOrRings(engine.now())) {
            return List.of();
        }
        List<T> batch = new ArrayList<>();
        int most = Integer.MAX_VALUE;
        for (T item : due) {
            most = Math.min(most, request.mostTogether(item));
            if (batch.size() >= most) {
                break;
            }
            batch.add(item);
        }
        // Last, when nothing can go wrong any more.
        lastSentNanos = engine.now();
        for (T item : batch) {
            due.remove(item);
        }
        underWay++;
        return batch;
    }

    /** If there is no room now, but soon, this rings then. */
    private boolean hasRoomOrRings(long now) {
        if (hurries) {
            return underWay < MOST_IN_A_HURRY;
        }
        if (underWay < usualAtOnce) {
            return true;
        }
        if (underWay >= mostAtOnce) {
            return false;
        }
        long nextNanos = lastSentNanos + pauseNanos();
        if (now < nextNanos) {
            engine.timeline.schedule(this, nextNanos);
        }
        return now >= nextNanos;
    }

    private long pauseNanos() {
        return underWay < MOST_AFTER_SHORT_PAUSES
                ? SHORT_PAUSE_NANOS
                : Math.max(SHORT_PAUSE_NANOS, engine.commandTimeoutNanos / MORE_PER_TIMEOUT);
    }
}
