package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.CleanupTask.Release;
import dev.holdfast.engine.CleanupTask.Withdrawal;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives back to the store what is no longer needed, and tries again until the store has answered. Thread-safe; may be
 * called with a gate's monitor held.
 *
 * <p>A task is dropped only when the store must have forgotten the matter: after the lease and two more minutes, or, where
 * grants end with a session, never while that session lives. A few requests are under way at a time, on threads of their
 * own. Tasks that have failed least often come first, so one silent server does not hold up what concerns the others;
 * and releases before withdrawals, which nobody waits for.
 * Releases share a request; the more often they have failed, the fewer share one.
 */
final class StoreCleanup {
    /** Beyond the lease, a store has forgotten a grant; a tombstone may be wanted for a while longer. */
    private static final long LONGEST_EXTRA_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final int MOST_AT_ONCE = 5;

    /** Of these. Nobody waits for a withdrawal, but others may wait for a lock to be released. */
    private static final int KEPT_FOR_RELEASES = 1;

    /** When the client closes, everything is to be said within one command timeout. */
    private static final int MOST_AT_ONCE_IN_CLOSING = 64;

    private static final int MOST_RELEASES_PER_REQUEST = 1_024;
    private static final int RANKS = 11;

    /** While this much is to be done, no wait is begun that costs no thread or ends by itself: there could be ever more. */
    private static final int MOST_OPEN = 100_000;

    private final Engine engine;

    /** What has to be over before the client has closed: releases, requests whose answer may call for one, tasks. */
    private final AtomicInteger open = new AtomicInteger();

    /** Tasks to be tried now, by how often they have failed; guarded by this object's monitor, as are the waiting and the count. */
    private final List<Deque<Release>> dueReleases = new ArrayList<>(RANKS);

    private final List<Deque<Withdrawal>> dueWithdrawals = new ArrayList<>(RANKS);

    /** Tasks that wait for their next try. */
    private final Set<CleanupTask> waiting = new LinkedHashSet<>();

    private int underWay;

    /** How often somebody has called for work since a thread began to see to it. */
    private final AtomicInteger calledToWork = new AtomicInteger();

    StoreCleanup(Engine engine) {
        this.engine = engine;
        for (int rank = 0; rank < RANKS; rank++) {
            dueReleases.add(new ArrayDeque<>());
            dueWithdrawals.add(new ArrayDeque<>());
        }
    }

    /** Whether everything has been given back. */
    boolean isDone() {
        return open.get() == 0;
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

    /** Something begins that gives back, or may have to; {@link #ends} follows, after the task that comes of it, if any. */
    void begins() {
        open.incrementAndGet();
    }

    void ends() {
        open.decrementAndGet();
    }

    /** Gives a grant back in the background. */
    void release(HeldGrant ended, AfterUnlock after) {
        begin(new Release(this, ended.grants, ended), after);
    }

    /** Gives grants back in the background that nobody has held. */
    void release(List<Grant> grants, AfterUnlock after) {
        begin(new Release(this, grants, null), after);
    }

    /**
     * Withdraws a claim in the background.
     *
     * @param mayStillArrive whether a request of it was never answered and may reach the store later than this one
     */
    void withdraw(Claim claim, boolean mayStillArrive, AfterUnlock after) {
        begin(new Withdrawal(this, claim, mayStillArrive), after);
    }

    private void begin(CleanupTask task, AfterUnlock after) {
        begins();
        add(task);
        after.then(this::work);
    }

    private synchronized void add(CleanupTask task) {
        waiting.remove(task);
        int rank = Math.min(task.failures, RANKS - 1);
        if (task instanceof Release release) {
            dueReleases.get(rank).add(release);
        } else if (task instanceof Withdrawal withdrawal) {
            dueWithdrawals.get(rank).add(withdrawal);
        }
    }

    /** When a store must have forgotten a matter; where grants end with a session, it never does by itself. */
    long forgottenBy(Duration lease) {
        return engine.endsWithSession() ? Long.MAX_VALUE : engine.now() + lease.toNanos() + LONGEST_EXTRA_NANOS;
    }

    /** Gives idle grants back on the calling thread, because something else is to be asked for. */
    void releaseIdleNow(LockStore store, List<HeldGrant> idle) {
        List<Grant> grants =
                idle.stream().flatMap(ended -> ended.grants.stream()).toList();
        List<ReleaseOutcome> outcomes = tryRelease(store, grants);
        List<ReleaseOutcome> known = outcomes == null || isUnknown(outcomes) ? null : outcomes;
        Answers.divide(idle, ended -> ended.grants.size(), known, (ended, own) -> {
            firstReleaseAnswered(ended, own);
            ends();
        });
        if (known == null || known.size() != grants.size()) {
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

    /** Judges the answer to the first release of a grant, and repeats it if it is not whole; false if it was not held. */
    boolean firstReleaseAnswered(HeldGrant ended, @Nullable List<ReleaseOutcome> outcomes) {
        boolean notHeld = outcomes != null && isNotHeld(outcomes);
        if (outcomes == null || outcomes.size() != ended.grants.size() || isUnknown(outcomes)) {
            AfterUnlock after = new AfterUnlock();
            release(ended, after);
            after.run();
        } else {
            ended.released(notHeld);
        }
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
        List<Release> moot = new ArrayList<>();
        Predicate<CleanupTask> goes =
                task -> task instanceof Release release && release.isOf(session) && moot.add(release);
        synchronized (this) {
            dueReleases.forEach(rank -> rank.removeIf(goes));
            waiting.removeIf(goes);
        }
        for (Release task : moot) {
            engine.timeline.cancel(task);
            answered(task);
        }
    }

    /** The client closes: what waits for its next try is tried now. */
    void hurry() {
        synchronized (this) {
            for (CleanupTask task : List.copyOf(waiting)) {
                engine.timeline.cancel(task);
                add(task);
            }
        }
        work();
    }

    /** The pause of a task is over. */
    void tryAgain(CleanupTask task) {
        synchronized (this) {
            if (!waiting.contains(task)) {
                return;
            }
            add(task);
        }
        work();
    }

    /** Sends what is due, as far as there is room. One thread at a time does; a call that fails at once comes back here. */
    private void work() {
        if (calledToWork.getAndIncrement() > 0) {
            return;
        }
        int heard = 1;
        while (heard > 0) {
            for (CleanupTask task = next(); task != null; task = next()) {
                if (task instanceof Release first) {
                    send(batchOf(first));
                } else if (task instanceof Withdrawal withdrawal) {
                    send(withdrawal);
                }
            }
            heard = calledToWork.addAndGet(-heard);
        }
    }

    /** The next task, if there is one and room for one more request. */
    private synchronized @Nullable CleanupTask next() {
        int room = (engine.isClosed() ? MOST_AT_ONCE_IN_CLOSING : MOST_AT_ONCE) - underWay;
        CleanupTask first = null;
        for (int rank = 0; rank < RANKS && first == null && room > 0; rank++) {
            first = dueReleases.get(rank).poll();
            if (first == null && room > KEPT_FOR_RELEASES) {
                first = dueWithdrawals.get(rank).poll();
            }
        }
        underWay += first == null ? 0 : 1;
        return first;
    }

    /** Adds the releases that come next and have failed as often. */
    private synchronized List<Release> batchOf(Release first) {
        List<Release> batch = new ArrayList<>(List.of(first));
        int rank = Math.min(first.failures, RANKS - 1);
        Deque<Release> others = dueReleases.get(rank);
        while (batch.size() < MOST_RELEASES_PER_REQUEST >> rank && !others.isEmpty()) {
            batch.add(others.remove());
        }
        return batch;
    }

    private void send(Withdrawal task) {
        engine.calls.submit(
                StoreCalls.Lane.CLEANUP,
                store -> {
                    store.withdraw(task.claim, task.mayStillArrive);
                    return true;
                },
                (sentNanos, done, failure) -> requestEnded(() -> take(task, done != null, failure)));
    }

    private void send(List<Release> batch) {
        List<Grant> grants =
                batch.stream().flatMap(task -> task.grants.stream()).toList();
        engine.calls.submit(
                StoreCalls.Lane.CLEANUP,
                store -> store.release(grants),
                (sentNanos, outcomes, failure) -> requestEnded(() -> Answers.divide(
                        batch,
                        task -> task.grants.size(),
                        outcomes,
                        (task, own) -> take(task, own != null && !isUnknown(own), failure))));
    }

    private void requestEnded(Runnable takeAnswers) {
        synchronized (this) {
            underWay--;
        }
        try {
            takeAnswers.run();
        } finally {
            work();
        }
    }

    private void take(CleanupTask task, boolean answered, @Nullable Throwable failure) {
        if (answered) {
            answered(task);
        } else {
            failed(task, failure);
        }
    }

    private void answered(CleanupTask task) {
        if (task instanceof Release release) {
            release.wasAnswered();
        }
        ends();
    }

    private void failed(CleanupTask task, @Nullable Throwable failure) {
        long now = engine.now();
        if (now >= task.untilNanos) {
            ends();
        } else {
            task.failures++;
            synchronized (this) {
                waiting.add(task);
                engine.timeline.schedule(task, now + engine.pace.backoff(engine.isClosed() ? 0 : task.failures));
            }
        }
        // Last: whatever goes wrong there, the task is not lost.
        engine.events.tell(new HoldfastEvent.StoreFailed(
                task.describe(),
                "clean up",
                failure != null ? failure : new StoreUnavailableException("release", task.describe(), null)));
    }
}
