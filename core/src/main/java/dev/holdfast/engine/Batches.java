package dev.holdfast.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * What is due at the store, sent in requests that many share. Usually only a few requests are under way. While these
 * hang, one more is sent every now and then: a request that waits for one silent server must not hold up what concerns
 * the others. Thread-safe; adding and removing are allowed with a gate's monitor held.
 *
 * @param <T> what a request is about
 */
final class Batches<T> extends Timed {
    private static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** While more than this many requests hang, the pause is longer: about so many are sent in one command timeout. */
    private static final int MOST_AFTER_SHORT_PAUSES = 8;

    private static final int MORE_PER_TIMEOUT = 40;

    /** When the client closes, everything is to be said within one command timeout. */
    private static final int MOST_IN_A_HURRY = 64;

    private final Engine engine;
    private final int usualAtOnce;
    private final int mostAtOnce;
    private final ToIntFunction<T> mostTogether;
    private final Request<T> request;

    /** In the order in which they are sent; guarded by this object's monitor, as are the next three. */
    private final Set<T> due;

    private boolean hurries;
    private int underWay;
    private long lastSentNanos;

    /** How often somebody has called for work since a thread began to see to it. */
    private final AtomicInteger calledToWork = new AtomicInteger();

    /** Sends one request. */
    interface Request<T> {
        /**
         * Sends a request about some things.
         *
         * @param batch at least one
         * @param ended to be run once, when the request has been answered or has failed
         */
        void send(List<T> batch, Runnable ended);
    }

    /**
     * Sets up requests of one kind.
     *
     * @param usualAtOnce how many requests may always be under way
     * @param mostAtOnce how many may be under way while others hang
     * @param mostTogether how many things at most share a request with a given one
     * @param due an empty set that keeps the order in which things are sent
     */
    Batches(
            Engine engine,
            int usualAtOnce,
            int mostAtOnce,
            ToIntFunction<T> mostTogether,
            Set<T> due,
            Request<T> request) {
        this.engine = engine;
        this.usualAtOnce = usualAtOnce;
        this.mostAtOnce = mostAtOnce;
        this.mostTogether = mostTogether;
        this.due = due;
        this.request = request;
    }

    /** Adds something; {@link #work} sends it. */
    synchronized void add(T item) {
        due.add(item);
    }

    /** Adds something that is sent together with everything else that is added at this moment. */
    void addSoon(T item, long now) {
        boolean first;
        synchronized (this) {
            due.add(item);
            first = due.size() == 1;
        }
        if (first) {
            engine.timeline.schedule(this, now);
        }
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

    /** Sends what is due, as far as there is room. One thread at a time does; a call that fails at once comes back here. */
    void work() {
        if (calledToWork.getAndIncrement() > 0) {
            return;
        }
        int heard = 1;
        while (heard > 0) {
            for (List<T> batch = next(); !batch.isEmpty(); batch = next()) {
                send(batch);
            }
            heard = calledToWork.addAndGet(-heard);
        }
    }

    private void send(List<T> batch) {
        try {
            request.send(batch, this::requestEnded);
        } catch (RuntimeException | Error broken) {
            Log.get().log(System.Logger.Level.ERROR, "a request to the store could not be sent", broken);
        }
    }

    private void requestEnded() {
        synchronized (this) {
            underWay--;
        }
        work();
    }

    /** What the next request is about; nothing if nothing is due or there is no room. */
    private synchronized List<T> next() {
        if (due.isEmpty() || !hasRoom(engine.now())) {
            return List.of();
        }
        underWay++;
        lastSentNanos = engine.now();
        List<T> batch = new ArrayList<>();
        Iterator<T> items = due.iterator();
        int most = Integer.MAX_VALUE;
        while (items.hasNext() && batch.size() < most) {
            T item = items.next();
            most = Math.min(most, mostTogether.applyAsInt(item));
            if (batch.size() < most) {
                batch.add(item);
                items.remove();
            }
        }
        return batch;
    }

    /** If there is no room now, but soon, this rings then. */
    private boolean hasRoom(long now) {
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
                : Math.max(SHORT_PAUSE_NANOS, engine.commandTimeoutNanos() / MORE_PER_TIMEOUT);
    }
}
