package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Gives back to the store what is no longer needed, and tries again until the store has answered. Thread-safe; may be
 * called with a gate's monitor held.
 *
 * <p>A task is dropped only when the store must have forgotten the matter: after the lease and two more minutes, or, where
 * grants end with a session, never while that session lives. A few requests are under way at a time, on threads of their
 * own. Tasks that have failed least often come first, so one silent server does not hold up what concerns the others.
 * Releases share a request; the more often they have failed, the fewer share one.
 */
final class StoreCleanup {
    /** Beyond the lease, a store has forgotten a grant; a tombstone may be wanted for a while longer. */
    private static final long LONGEST_EXTRA_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final int MOST_AT_ONCE = 4;

    /** When the client closes, everything is to be said within one command timeout. */
    private static final int MOST_AT_ONCE_IN_CLOSING = 64;

    private static final int MOST_RELEASES_PER_REQUEST = 1_024;
    private static final int RANKS = 11;

    /** While this much is to be done, no wait is begun that may be given up: the store has not answered for long. */
    private static final int MOST_OPEN = 100_000;

    private final Engine engine;

    /** Everything that gates have decided to give back and that the store has not answered for. */
    private final AtomicInteger open = new AtomicInteger();

    /** How many threads are about to give something back by themselves. */
    private final AtomicInteger releasing = new AtomicInteger();

    /** Tasks to be tried now, by how often they have failed; guarded by this object's monitor, as are the next. */
    private final List<Deque<Task>> due = new ArrayList<>(RANKS);

    /** Tasks that wait for their next try. */
    private final Set<Task> waiting = new LinkedHashSet<>();

    private int underWay;

    /** How often somebody has called for work since a thread began to see to it. */
    private final AtomicInteger calledToWork = new AtomicInteger();

    StoreCleanup(Engine engine) {
        this.engine = engine;
        for (int rank = 0; rank < RANKS; rank++) {
            due.add(new ArrayDeque<>());
        }
    }

    /** Whether everything has been given back. */
    boolean isDone() {
        // In this order: what a thread cannot give back by itself is open before it is no longer being released.
        return releasing.get() == 0 && open.get() == 0;
    }

    boolean isFull() {
        return open.get() >= MOST_OPEN;
    }

    /** Why no wait is begun while there is too much to be given back. */
    StoreUnavailableException fullness(Terms terms) {
        return new StoreUnavailableException(
                "acquire",
                terms.describe(),
                new IllegalStateException("the store has not answered " + open.get()
                        + " earlier requests of this client, which have to be settled first"));
    }

    /** A thread is about to give something back by itself; {@link #releaseEnds} follows. */
    void releaseBegins() {
        releasing.incrementAndGet();
    }

    void releaseEnds() {
        releasing.decrementAndGet();
    }

    /** Something may come to be given back when a reply has come; {@link #gotReply} follows. */
    void expectsReply() {
        open.incrementAndGet();
    }

    void gotReply() {
        open.decrementAndGet();
    }

    /** Gives a grant back in the background. */
    void release(HeldGrant ended, AfterUnlock after) {
        begin(new Task(ended.grants, null, false, ended), after);
    }

    /** Gives grants back in the background that nobody has held. */
    void release(List<Grant> grants, AfterUnlock after) {
        begin(new Task(grants, null, false, null), after);
    }

    /**
     * Withdraws a claim in the background.
     *
     * @param mayStillArrive whether a request of it was never answered and may reach the store later than this one
     */
    void withdraw(Claim claim, boolean mayStillArrive, AfterUnlock after) {
        begin(new Task(List.of(), claim, mayStillArrive, null), after);
    }

    private void begin(Task task, AfterUnlock after) {
        open.incrementAndGet();
        add(task);
        after.then(this::work);
    }

    private synchronized void add(Task task) {
        waiting.remove(task);
        due.get(Math.min(task.failures, RANKS - 1)).add(task);
    }

    /** Gives idle grants back on the calling thread, because something else is to be asked for. */
    void releaseFirst(LockStore store, List<HeldGrant> idle) {
        List<Grant> grants =
                idle.stream().flatMap(ended -> ended.grants.stream()).toList();
        List<ReleaseOutcome> outcomes = tryRelease(store, grants);
        boolean answered = outcomes != null && outcomes.size() == grants.size() && !isUnknown(outcomes);
        int next = 0;
        for (HeldGrant ended : idle) {
            int end = next + ended.grants.size();
            released(ended, answered && outcomes != null ? outcomes.subList(next, end) : null);
            releaseEnds();
            next = end;
        }
        if (!answered) {
            throw new StoreUnavailableException("release", idle.get(0).terms.describe(), null);
        }
    }

    static @Nullable List<ReleaseOutcome> tryRelease(LockStore store, List<Grant> grants) {
        try {
            return store.release(grants);
        } catch (Throwable unanswered) {
            return null;
        }
    }

    /** Judges the answer to the first release of a grant, and repeats it if there is none; false if it was not held. */
    boolean released(HeldGrant ended, @Nullable List<ReleaseOutcome> outcomes) {
        if (outcomes == null || isUnknown(outcomes)) {
            AfterUnlock after = new AfterUnlock();
            release(ended, after);
            after.run();
            return true;
        }
        boolean notHeld = isNotHeld(outcomes);
        ended.released(notHeld);
        // Past the deadline the grant may have ended while its release was on the way: that is not a loss.
        return !notHeld || engine.now() >= ended.validUntilNanos;
    }

    private static boolean isNotHeld(List<ReleaseOutcome> outcomes) {
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) instanceof ReleaseOutcome.NotHeld) {
                return true;
            }
        }
        return false;
    }

    private static boolean isUnknown(List<ReleaseOutcome> outcomes) {
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) instanceof ReleaseOutcome.Unknown) {
                return true;
            }
        }
        return false;
    }

    /** The grants of a session are gone with it. */
    void sessionLost(String session) {
        List<Task> moot = new ArrayList<>();
        synchronized (this) {
            for (Deque<Task> rank : due) {
                rank.removeIf(task -> task.isOf(session) && moot.add(task));
            }
            waiting.removeIf(task -> task.isOf(session) && moot.add(task));
        }
        for (Task task : moot) {
            engine.timeline.cancel(task);
            task.answered();
        }
    }

    /** The client closes: what waits for its next try is tried now. */
    void hurry() {
        synchronized (this) {
            for (Task task : List.copyOf(waiting)) {
                engine.timeline.cancel(task);
                add(task);
            }
        }
        work();
    }

    /** Sends what is due, as far as there is room. One thread at a time does; a call that fails at once comes back here. */
    void work() {
        if (calledToWork.getAndIncrement() > 0) {
            return;
        }
        int heard = 1;
        while (heard > 0) {
            for (List<Task> batch = next(); !batch.isEmpty(); batch = next()) {
                List<Task> sent = batch;
                engine.calls.submit(
                        StoreCalls.Lane.CLEANUP,
                        store -> send(store, sent),
                        (sentNanos, answers, failure) -> settle(sent, answers, failure));
            }
            heard = calledToWork.addAndGet(-heard);
        }
    }

    private synchronized List<Task> next() {
        if (underWay >= (engine.isClosed() ? MOST_AT_ONCE_IN_CLOSING : MOST_AT_ONCE)) {
            return List.of();
        }
        for (int rank = 0; rank < RANKS; rank++) {
            Deque<Task> tasks = due.get(rank);
            Task first = tasks.poll();
            if (first != null) {
                underWay++;
                List<Task> batch = new ArrayList<>(List.of(first));
                int most = MOST_RELEASES_PER_REQUEST >> rank;
                for (Task more = tasks.peek();
                        more != null && first.claim == null && more.claim == null && batch.size() < most;
                        more = tasks.peek()) {
                    batch.add(tasks.remove());
                }
                return batch;
            }
        }
        return List.of();
    }

    /** Makes one request for a batch; returns whether each task was answered. */
    private static List<Boolean> send(LockStore store, List<Task> batch) {
        Task first = batch.get(0);
        if (first.claim != null) {
            store.withdraw(first.claim, first.mayStillArrive);
            return List.of(true);
        }
        List<Grant> grants =
                batch.stream().flatMap(task -> task.grants.stream()).toList();
        List<ReleaseOutcome> outcomes = store.release(grants);
        List<Boolean> answered = new ArrayList<>(batch.size());
        int next = 0;
        for (Task task : batch) {
            int end = next + task.grants.size();
            answered.add(outcomes.size() == grants.size() && !isUnknown(outcomes.subList(next, end)));
            next = end;
        }
        return answered;
    }

    private void settle(List<Task> batch, @Nullable List<Boolean> answered, @Nullable Throwable failure) {
        synchronized (this) {
            underWay--;
        }
        for (int i = 0; i < batch.size(); i++) {
            if (answered != null && answered.get(i)) {
                batch.get(i).answered();
            } else {
                batch.get(i).failed(failure);
            }
        }
        work();
    }

    /** Something that the store has to be told: a release of grants, or the withdrawal of a claim. */
    private final class Task extends Timed {
        private final List<Grant> grants;
        private final @Nullable Claim claim;
        private final boolean mayStillArrive;
        private final @Nullable HeldGrant of;
        private final long untilNanos;

        /** Used by whoever has the task in hand. */
        private int failures;

        Task(List<Grant> grants, @Nullable Claim claim, boolean mayStillArrive, @Nullable HeldGrant of) {
            this.grants = grants;
            this.claim = claim;
            this.mayStillArrive = mayStillArrive;
            this.of = of;
            Duration lease = claim != null ? claim.lease() : grants.get(0).lease();
            this.untilNanos =
                    engine.endsWithSession() ? Long.MAX_VALUE : engine.now() + lease.toNanos() + LONGEST_EXTRA_NANOS;
        }

        boolean isOf(String session) {
            return !grants.isEmpty() && grants.stream().allMatch(grant -> session.equals(grant.session()));
        }

        void answered() {
            if (of != null) {
                of.released(true);
            }
            finish();
        }

        void finish() {
            open.decrementAndGet();
        }

        void failed(@Nullable Throwable failure) {
            engine.events.tell(new HoldfastEvent.StoreFailed(
                    claim != null ? claim.describe() : grants.get(0).name(),
                    "clean up",
                    failure != null ? failure : new StoreUnavailableException("release", "?", null)));
            long now = engine.now();
            if (now >= untilNanos) {
                finish();
                return;
            }
            failures++;
            synchronized (StoreCleanup.this) {
                waiting.add(this);
                engine.timeline.schedule(this, now + engine.pace.backoff(engine.isClosed() ? 0 : failures));
            }
        }

        @Override
        public void onDue() {
            synchronized (StoreCleanup.this) {
                if (!waiting.contains(this)) {
                    return;
                }
                add(this);
            }
            work();
        }
    }
}
