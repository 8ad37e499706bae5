package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.Election;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Leadership is holding a lock; losing it means standing again. Thread-safe. */
final class LockElection implements Election {
    /** How the pause before standing again is counted: about a second. */
    private static final int STAND_AGAIN_FAILURES = 6;

    private final Engine engine;
    private final DistributedLock lock;
    private final Supplier<Optional<LockView>> view;
    private final Consumer<LockElection> afterClose;

    /** Guarded by this object's monitor, as are all below. */
    private @Nullable Candidature candidature;

    private boolean closed;

    LockElection(
            Engine engine, DistributedLock lock, Supplier<Optional<LockView>> view, Consumer<LockElection> afterClose) {
        this.engine = engine;
        this.lock = lock;
        this.view = view;
        this.afterClose = afterClose;
    }

    @Override
    public void campaign(Consumer<Lease> onElected, Consumer<LossReason> onDeposed) {
        Candidature fresh = new Candidature(onElected, onDeposed);
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the election '" + name() + "' is closed");
            }
            if (candidature != null) {
                throw new IllegalStateException("already standing for '" + name() + "'; resign first");
            }
            candidature = fresh;
        }
        fresh.stand();
    }

    @Override
    public boolean isLeader() {
        Candidature current = current();
        return current != null && current.leads();
    }

    @Override
    public Optional<String> leader() {
        return view.get().flatMap(seen -> seen.holders().stream().findFirst()).map(LockView.Holder::clientName);
    }

    @Override
    public void resign() {
        Candidature last;
        synchronized (this) {
            last = candidature;
            candidature = null;
        }
        if (last != null) {
            last.end();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        resign();
        afterClose.accept(this);
    }

    private synchronized void withdrawn(Candidature over) {
        if (candidature == over) {
            candidature = null;
        }
    }

    private synchronized @Nullable Candidature current() {
        return candidature;
    }

    private String name() {
        return lock.names().get(0);
    }

    /** One stand for office, from {@code campaign} to {@code resign}, over any number of terms. */
    private final class Candidature {
        private final Consumer<Lease> onElected;
        private final Consumer<LossReason> onDeposed;

        /** Callbacks that wait for their turn; guarded by this object's monitor, as are all below. */
        private final Queue<Runnable> turns = new ArrayDeque<>();

        private boolean taken;
        private boolean ended;
        private @Nullable CompletableFuture<Lease> wait;
        private @Nullable Lease term;

        Candidature(Consumer<Lease> onElected, Consumer<LossReason> onDeposed) {
            this.onElected = onElected;
            this.onDeposed = onDeposed;
        }

        void stand() {
            CompletableFuture<Lease> fresh = lock.acquireAsync();
            boolean tooLate;
            synchronized (this) {
                wait = fresh;
                tooLate = ended;
            }
            if (tooLate) {
                fresh.cancel(false);
                return;
            }
            fresh.whenComplete((lease, failure) -> {
                if (lease != null) {
                    elected(lease);
                } else if (failure != null) {
                    failed(failure);
                }
            });
        }

        /** A name that is in use as something else may be free again later; anything else ends the candidature. */
        private void failed(Throwable failure) {
            if (failure instanceof CancellationException || failure instanceof ClientClosedException) {
                return;
            }
            engine.events().tell(new HoldfastEvent.StoreFailed(name(), "campaign", failure));
            if (failure instanceof LockMismatchException) {
                Timed again = new Timed() {
                    @Override
                    public void onDue() {
                        stand();
                    }
                };
                engine.timeline().schedule(again, engine.now() + engine.pace().backoff(STAND_AGAIN_FAILURES));
            } else {
                withdrawn(this);
            }
        }

        private void elected(Lease lease) {
            boolean accepted;
            synchronized (this) {
                accepted = !ended;
                if (accepted) {
                    term = lease;
                    turns.add(() -> onElected.accept(lease));
                }
            }
            if (accepted) {
                takeTurnsSoon();
                lease.onLost(this::deposed);
            } else {
                lease.releaseAsync();
            }
        }

        private void deposed(LossReason reason) {
            synchronized (this) {
                term = null;
                if (ended) {
                    return;
                }
                turns.add(() -> onDeposed.accept(reason));
            }
            takeTurnsSoon();
            if (reason != LossReason.CLIENT_CLOSED) {
                stand();
            }
        }

        synchronized boolean leads() {
            return term != null && term.isHeld();
        }

        void end() {
            CompletableFuture<Lease> waiting;
            Lease last;
            synchronized (this) {
                ended = true;
                waiting = wait;
                last = term;
                term = null;
                turns.clear();
            }
            if (waiting != null) {
                waiting.cancel(false);
            }
            if (last != null) {
                last.release();
            }
        }

        private void takeTurnsSoon() {
            synchronized (this) {
                if (taken) {
                    return;
                }
                taken = true;
            }
            // A thread of its own, because a leader's callback may take as long as its term.
            Thread thread = new Thread(this::takeTurns, "holdfast-" + engine.clientName() + "-election");
            thread.setDaemon(true);
            thread.start();
        }

        private void takeTurns() {
            while (true) {
                Runnable next;
                synchronized (this) {
                    next = turns.poll();
                    taken = next != null;
                }
                if (next == null) {
                    return;
                }
                engine.events().guarded(name(), next);
            }
        }
    }
}
