package dev.holdfast.engine.client;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.Election;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.SelfDeadlockException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.Engine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Leadership is holding a lock; losing it means standing again. Thread-safe.
 *
 * <p>Longer than most files, because a candidature is one state machine that has to be read together.
 */
final class LockElection implements Election {
    private final Engine engine;
    private final DistributedLock lock;

    /** Asks for the lock in a way that does not wait for user code. */
    private final Supplier<CompletableFuture<Lease>> standing;

    private final ThreadFactory threads;
    private final Supplier<Optional<LockView>> view;
    private final Consumer<LockElection> afterClose;

    /** Guards this object and its candidatures. */
    private final ReentrantLock guard = new ReentrantLock();

    /** Signalled whenever a candidate takes office and when a candidature ends. */
    private final Condition changed = guard.newCondition();

    private @Nullable Candidature candidature;

    /** Done when no callback of an earlier candidature runs any more. */
    private CompletableFuture<?> quiet = CompletableFuture.completedFuture(null);

    /** The thread that runs callbacks, if one does. */
    private @Nullable Thread caller;

    private boolean closed;

    LockElection(
            Engine engine,
            DistributedLock lock,
            Supplier<CompletableFuture<Lease>> standing,
            ThreadFactory threads,
            Supplier<Optional<LockView>> view,
            Consumer<LockElection> afterClose) {
        this.engine = engine;
        this.lock = lock;
        this.standing = standing;
        this.threads = threads;
        this.view = view;
        this.afterClose = afterClose;
    }

    @Override
    public void campaign(Consumer<Lease> onElected, Consumer<LossReason> onDeposed) {
        engine.ensureOpen();
        Candidature fresh;
        CompletableFuture<?> earlier;
        guard.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the election '" + name() + "' is closed");
            }
            if (candidature != null) {
                throw new IllegalStateException("already standing for '" + name() + "'; resign first");
            }
            earlier = quiet;
            fresh = new Candidature(onElected, onDeposed, earlier);
            candidature = fresh;
        } finally {
            guard.unlock();
        }
        earlier.thenRun(fresh::stand);
    }

    @Override
    public Lease awaitLeadership() throws InterruptedException {
        Optional<Lease> term = Optional.empty();
        while (term.isEmpty()) {
            term = awaitOffice(Long.MAX_VALUE);
        }
        return term.get();
    }

    @Override
    public Optional<Lease> awaitLeadership(Duration wait) throws InterruptedException {
        return awaitOffice(EngineLock.nanos(wait));
    }

    private Optional<Lease> awaitOffice(long waitNanos) throws InterruptedException {
        engine.ensureOpen();
        long left = waitNanos;
        guard.lockInterruptibly();
        try {
            Candidature mine = candidature;
            if (mine == null) {
                throw new IllegalStateException("not standing for '" + name() + "'; campaign first");
            }
            Optional<Lease> term = mine.term();
            while (term.isEmpty() && left > 0) {
                mine.ensureWaitCanEnd();
                left = changed.awaitNanos(left);
                term = mine.term();
            }
            return term;
        } finally {
            guard.unlock();
        }
    }

    @Override
    public Optional<Lease> currentTerm() {
        return guarded(() -> candidature == null ? Optional.empty() : candidature.term());
    }

    @Override
    public boolean isLeader() {
        return currentTerm().isPresent();
    }

    @Override
    public Optional<String> leader() {
        return view.get().flatMap(seen -> seen.holders().stream().findFirst()).map(LockView.Holder::clientName);
    }

    @Override
    public void resign() {
        end(null, null);
    }

    @Override
    public void close() {
        close(null);
    }

    /** Resigns for good; who waits for leadership is told why. */
    void close(@Nullable RuntimeException why) {
        guard.lock();
        try {
            closed = true;
        } finally {
            guard.unlock();
        }
        end(null, why);
        afterClose.accept(this);
    }

    /** Ends the candidature, or only a given one. */
    private void end(@Nullable Candidature only, @Nullable RuntimeException why) {
        CompletableFuture<Lease> waiting;
        Lease inOffice;
        guard.lock();
        try {
            Candidature last = candidature;
            if (last == null || (only != null && only != last)) {
                return;
            }
            candidature = null;
            quiet = last.quiet;
            last.state = State.ENDED;
            last.failure = why;
            waiting = last.wait;
            inOffice = last.lease;
            last.lease = null;
            changed.signalAll();
        } finally {
            guard.unlock();
        }
        if (waiting != null) {
            waiting.cancel(false);
        }
        if (inOffice != null && why == null) {
            inOffice.release();
        } else if (inOffice != null) {
            // The client closes, which waits for all releases together.
            inOffice.releaseAsync();
        }
    }

    private <T> T guarded(Supplier<T> step) {
        guard.lock();
        try {
            return step.get();
        } finally {
            guard.unlock();
        }
    }

    private String name() {
        return lock.names().get(0);
    }

    /**
     * What a candidature is at.
     *
     * <pre>
     *            elected                 onElected returns
     *  STANDING ---------> TAKING_OFFICE -----------------> IN_OFFICE
     *     ^                      | lost                        | lost
     *     |                      v       onElected returns     v
     *     |                   LEAVING -------------------> DEPOSED
     *     |                      onDeposed returns             |
     *     +----------------------------------------------------+
     *
     *  STANDING, refused for now: asks again after about a second
     *  from everywhere, when it resigns or cannot go on: ENDED
     * </pre>
     */
    private enum State {
        STANDING,
        TAKING_OFFICE,
        IN_OFFICE,
        LEAVING,
        DEPOSED,
        ENDED
    }

    /** One stand for office, from {@code campaign} to {@code resign}, over any number of terms. Guarded by the election. */
    private final class Candidature {
        private final Consumer<Lease> onElected;
        private final Consumer<LossReason> onDeposed;

        private State state = State.STANDING;
        private @Nullable CompletableFuture<Lease> wait;

        /** Of the term, while it lasts. */
        private @Nullable Lease lease;

        /** Why the last term was lost. */
        private LossReason reason = LossReason.EXPIRED;

        /** Why it has ended, if it did not resign. */
        private @Nullable RuntimeException failure;

        /** Done when every callback that was due so far has returned. */
        private CompletableFuture<?> quiet;

        /** What runs onElected; guarded by this object's own monitor. */
        private @Nullable InOnElected inOnElected;

        /** A thread that runs onElected, for the term of a lease. */
        private record InOnElected(Thread thread, Lease own) {}

        Candidature(Consumer<Lease> onElected, Consumer<LossReason> onDeposed, CompletableFuture<?> quiet) {
            this.onElected = onElected;
            this.onDeposed = onDeposed;
            this.quiet = quiet;
        }

        /** The lease as the user sees it, if it is held at this moment. */
        Optional<Lease> term() {
            return lease != null && lease.isHeld() ? Optional.of(lent(lease)) : Optional.empty();
        }

        private Lease lent(Lease own) {
            return new BorrowedLease(own, "leave office with resign()");
        }

        /** Refuses a wait that could never end. */
        void ensureWaitCanEnd() {
            if (state == State.ENDED) {
                throw failure != null
                        ? failure
                        : new IllegalStateException("the candidature for '" + name() + "' has ended");
            }
            if (Thread.currentThread() == caller) {
                throw new SelfDeadlockException("this callback of the election '" + name()
                        + "' would wait for itself; the election stands again when it has returned");
            }
        }

        /** Gets in line. */
        void stand() {
            if (stateNow() == State.ENDED) {
                return;
            }
            CompletableFuture<Lease> fresh;
            try {
                fresh = standing.get();
            } catch (RuntimeException | Error unable) {
                fresh = CompletableFuture.failedFuture(unable);
            }
            boolean tooLate;
            guard.lock();
            try {
                wait = fresh;
                tooLate = state == State.ENDED;
            } finally {
                guard.unlock();
            }
            if (tooLate) {
                fresh.cancel(false);
            }
            fresh.whenComplete((won, refused) -> {
                if (won != null) {
                    elected(won);
                } else if (refused != null) {
                    failed(refused);
                }
            });
        }

        /** A name that is in use as something else, a store that does not answer, a full heap: all else is an end. */
        private void failed(Throwable why) {
            if (why instanceof CancellationException) {
                return;
            }
            if (!(why instanceof ClientClosedException)) {
                engine.events.tell(new HoldfastEvent.StoreFailed(name(), "campaign", why));
            }
            if (why instanceof LockMismatchException
                    || why instanceof StoreUnavailableException
                    || why instanceof Error) {
                engine.tryAgainLater(this::stand);
            } else {
                end(
                        this,
                        why instanceof RuntimeException known
                                ? known
                                : new IllegalStateException("the candidature for '" + name() + "' has ended", why));
            }
        }

        private void elected(Lease won) {
            CompletableFuture<?> done = new CompletableFuture<>();
            boolean accepted;
            guard.lock();
            try {
                accepted = state == State.STANDING;
                if (accepted) {
                    state = State.TAKING_OFFICE;
                    lease = won;
                    quiet = done;
                    changed.signalAll();
                }
            } finally {
                guard.unlock();
            }
            if (accepted) {
                engine.onLostForClient(won, why -> lost(won, why));
                startThread(won, done);
            } else {
                won.releaseAsync();
            }
        }

        private void lost(Lease last, LossReason why) {
            CompletableFuture<?> done = new CompletableFuture<>();
            State was;
            guard.lock();
            try {
                reason = why;
                lease = null;
                was = state;
                if (was == State.IN_OFFICE) {
                    state = State.DEPOSED;
                    quiet = done;
                } else if (was == State.TAKING_OFFICE) {
                    state = State.LEAVING;
                }
            } finally {
                guard.unlock();
            }
            if (was == State.IN_OFFICE) {
                startThread(last, done);
            } else if (was == State.TAKING_OFFICE) {
                interruptOnElected(last);
            }
        }

        /** Not with the guard held: a thread may do as it likes when it is interrupted, even block. */
        private void interruptOnElected(Lease lost) {
            if (lock.options().interruptOnLoss()) {
                synchronized (this) {
                    // The next term may have begun meanwhile.
                    if (inOnElected != null && inOnElected.own == lost) {
                        inOnElected.thread.interrupt();
                    }
                }
            }
        }

        private synchronized void inOnElected(@Nullable InOnElected now) {
            inOnElected = now;
        }

        /** Callbacks have a thread of their own, because a leader's may take as long as its term. */
        private void startThread(Lease own, CompletableFuture<?> done) {
            try {
                Thread thread = threads.newThread(() -> callBack(own, done));
                thread.setName("holdfast-" + engine.clientName + "-election");
                thread.setDaemon(true);
                thread.start();
            } catch (OutOfMemoryError noThread) {
                // There are too many threads at the moment. Without callbacks this candidate would never stand again.
                engine.tryAgainLater(() -> startThread(own, done));
                engine.events.callbackFailed(name(), noThread);
            }
        }

        /** Calls back what is due, then stands again if the term is over. */
        private void callBack(Lease own, CompletableFuture<?> done) {
            State at = begin();
            if (at == State.TAKING_OFFICE || at == State.LEAVING) {
                inOnElected(new InOnElected(Thread.currentThread(), own));
                if (stateNow() == State.LEAVING) {
                    interruptOnElected(own);
                }
                engine.events.guarded(name(), () -> onElected.accept(lent(own)));
                inOnElected(null);
                at = returned();
                // Whatever interrupt there was concerned onElected.
                boolean unused = Thread.interrupted();
            }
            if (at == State.DEPOSED) {
                engine.events.guarded(name(), () -> onDeposed.accept(reason));
                at = returned();
            }
            done.complete(null);
            if (at == State.STANDING) {
                stand();
            }
        }

        private State begin() {
            return guarded(() -> {
                caller = state == State.ENDED ? null : Thread.currentThread();
                return state;
            });
        }

        /** Goes on to the next state after a callback; unless another one is due, this thread is done. */
        private State returned() {
            return guarded(() -> {
                state = switch (state) {
                    case TAKING_OFFICE -> State.IN_OFFICE;
                    case LEAVING -> State.DEPOSED;
                    case DEPOSED -> State.STANDING;
                    case STANDING, IN_OFFICE, ENDED -> state;
                };
                caller = state == State.DEPOSED ? caller : null;
                return state;
            });
        }

        private State stateNow() {
            return guarded(() -> state);
        }
    }
}
