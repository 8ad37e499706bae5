package dev.holdfast.engine;

import dev.holdfast.HoldfastEvent;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.CleanupTask.FirstAnswer;
import dev.holdfast.engine.CleanupTask.Release;
import dev.holdfast.engine.CleanupTask.Withdrawal;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Gives back to the store what is no longer needed, and tries again until the store has answered. Thread-safe; may be
 * called with a gate's monitor held.
 *
 * <p>A task is dropped only when the store must have forgotten the matter: after the lease and two more minutes, or, where
 * grants end with a session, never while that session lives. Releases and withdrawals, and the first tries, the first few
 * repeats and the later ones of each, have requests of their own, so that none waits behind requests of another kind that
 * hang: what failed once, beside much that fails again and again, is not held up by that. Releases share a request; the more
 * often they have failed, the fewer share one.
 */
final class StoreCleanup {
    /** Beyond the lease, a store has forgotten a grant; a tombstone may be wanted for a while longer. */
    private static final long LONGEST_EXTRA_NANOS = TimeUnit.MINUTES.toNanos(2);

    private static final int MOST_RELEASES_PER_REQUEST = 1_024;

    /** After this many failures a release has a request for itself. */
    private static final int MOST_QUARTERINGS = 5;

    /** While this much is to be done, no wait is begun that can end without an answer: there could be ever more. */
    private static final int MOST_OPEN = 100_000;

    private final Engine engine;

    /** What has to be over before the client has closed: releases, requests whose answer may call for one, tasks. */
    private final AtomicInteger open = new AtomicInteger();

    private final AtomicLong serials = new AtomicLong();
    private final Tries<Release> releases;
    private final Tries<Withdrawal> withdrawals;

    /** Tasks that wait for their next try; guarded by this object's monitor. */
    private final Set<CleanupTask> waiting = new LinkedHashSet<>();

    StoreCleanup(Engine engine) {
        this.engine = engine;
        this.releases = new Tries<>(engine, new Releases(), new LinkedHashSet<>());
        this.withdrawals = new Tries<>(engine, new Withdrawals(), new BothEnds());
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

    /**
     * Something begins that gives back, or may have to: closing waits for it. {@link #closingNeedNotWait} follows, after the
     * task that comes of it, if any:
     *
     * <ul>
     *   <li>a release on the user's thread, or one that was asked for: at the end of that call of {@link Engine};
     *   <li>an idle grant that a claim has to give back first: when its release was answered, or passed on to a task;
     *   <li>a reply that is still to come of a claim that is over: when it came ({@link Leftovers});
     *   <li>a task of this class: when it was answered, or the store must have forgotten the matter.
     * </ul>
     */
    void closingWaits() {
        open.incrementAndGet();
    }

    void closingNeedNotWait() {
        open.decrementAndGet();
    }

    long nextSerial() {
        return serials.incrementAndGet();
    }

    /** Gives a grant back in the background. */
    void release(HeldGrant ended, AfterUnlock after) {
        begin(new Release(this, ended.grants, ended, null), after);
    }

    /** Gives grants back in the background that nobody has held. */
    void release(List<Grant> grants, AfterUnlock after) {
        begin(new Release(this, grants, null, null), after);
    }

    /** Gives a grant back in the background, and tells how the first try went. */
    void release(HeldGrant ended, FirstAnswer answer) {
        AfterUnlock after = new AfterUnlock();
        begin(new Release(this, ended.grants, ended, answer), after);
        after.run();
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
        closingWaits();
        Batches<?, ?> requests = add(task);
        after.then(requests::work);
    }

    private Batches<?, ?> add(CleanupTask task) {
        task.orderNanos = engine.now() + task.failures * engine.commandTimeoutNanos;
        return task instanceof Withdrawal withdrawal ? withdrawals.add(withdrawal) : releases.add((Release) task);
    }

    /** When a store must have forgotten a matter; where grants end with a session, it never does by itself. */
    long forgottenBy(Duration lease) {
        return engine.endsWithSession ? Long.MAX_VALUE : engine.now() + lease.toNanos() + LONGEST_EXTRA_NANOS;
    }

    /** Gives idle grants back on the calling thread, because something else is to be asked for. */
    void releaseNow(LockStore store, List<HeldGrant> idle) {
        List<Grant> grants =
                idle.stream().flatMap(ended -> ended.grants.stream()).toList();
        List<ReleaseOutcome> outcomes = tryRelease(store, grants);
        List<ReleaseOutcome> known = outcomes == null || isUnknown(outcomes) ? null : outcomes;
        Answers.divide(idle, ended -> ended.grants.size(), known, (ended, own) -> {
            try {
                firstReleaseAnswered(ended, own);
            } finally {
                closingNeedNotWait();
            }
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

    /** Takes the answer to the first release of a grant, and repeats it if it is not whole. */
    void firstReleaseAnswered(HeldGrant ended, @Nullable List<ReleaseOutcome> outcomes) {
        if (outcomes == null || outcomes.size() != ended.grants.size() || isUnknown(outcomes)) {
            Release again = new Release(this, ended.grants, ended, null);
            again.failures = 1;
            AfterUnlock after = new AfterUnlock();
            begin(again, after);
            after.run();
        } else {
            ended.gaveBack(isNotHeld(outcomes));
        }
    }

    static boolean isNotHeld(List<ReleaseOutcome> outcomes) {
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
        // Together, because a task whose pause is over goes from one to the other.
        synchronized (this) {
            releases.removeIf(goes);
            waiting.removeIf(goes);
        }
        AfterUnlock after = new AfterUnlock();
        for (Release task : moot) {
            engine.timeline.cancel(task);
            after.then(() -> answered(task, true));
            if (task.failures == 0) {
                after.then(() -> task.firstTryEnded(engine.now(), null));
            }
        }
        after.run();
    }

    /** The client closes: what waits for its next try is tried now. */
    void hurry() {
        synchronized (this) {
            for (CleanupTask task : waiting) {
                engine.timeline.cancel(task);
                add(task);
            }
            waiting.clear();
        }
        releases.hurry();
        withdrawals.hurry();
    }

    /** The pause of a task is over. */
    void tryAgain(CleanupTask task) {
        Batches<?, ?> requests;
        synchronized (this) {
            if (!waiting.contains(task)) {
                return;
            }
            requests = add(task);
            waiting.remove(task);
        }
        requests.work();
    }

    private void answered(CleanupTask task, boolean maybeNotHeld) {
        try {
            task.isDone(maybeNotHeld);
        } finally {
            closingNeedNotWait();
        }
    }

    private void failed(CleanupTask task, @Nullable Throwable failure) {
        long now = engine.now();
        if (now >= task.untilNanos) {
            closingNeedNotWait();
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

    /**
     * Withdrawals are sent one by one, the newest and the oldest in turn. So a new one does not wait for a long line of those
     * that a silent server leaves; and while that server leaves them faster than they can be sent, no other one is buried.
     */
    private static final class BothEnds extends TreeSet<Withdrawal> {
        private static final long serialVersionUID = 1L;

        private boolean oldest;

        @Override
        public Iterator<Withdrawal> iterator() {
            oldest = !oldest;
            return oldest ? super.iterator() : descendingIterator();
        }
    }

    /** Requests of tasks; a withdrawal is answered like the release of one grant. */
    private abstract class Tasks<T extends CleanupTask> implements Batches.Request<T, ReleaseOutcome> {
        @Override
        public final void take(
                T task, long sentNanos, @Nullable List<ReleaseOutcome> outcomes, @Nullable Throwable failure) {
            boolean first = task.failures == 0;
            try {
                if (outcomes == null || isUnknown(outcomes)) {
                    failed(task, failure);
                } else {
                    answered(task, !first || isNotHeld(outcomes));
                }
            } finally {
                if (first) {
                    task.firstTryEnded(sentNanos, outcomes);
                }
            }
        }
    }

    private final class Releases extends Tasks<Release> {
        @Override
        public int mostTogether(Release task) {
            return MOST_RELEASES_PER_REQUEST >> (2 * Math.min(task.failures, MOST_QUARTERINGS));
        }

        @Override
        public List<ReleaseOutcome> ask(LockStore store, List<Release> batch) {
            return store.release(
                    batch.stream().flatMap(task -> task.grants.stream()).toList());
        }

        @Override
        public int answersTo(Release task) {
            return task.grants.size();
        }
    }

    private final class Withdrawals extends Tasks<Withdrawal> {
        @Override
        public int mostTogether(Withdrawal task) {
            return 1;
        }

        @Override
        public List<ReleaseOutcome> ask(LockStore store, List<Withdrawal> batch) {
            batch.forEach(task -> store.withdraw(task.claim, task.mayStillArrive));
            return List.of(ReleaseOutcome.RELEASED);
        }
    }
}
