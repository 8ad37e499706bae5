package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.Election;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Leadership is holding a lock; losing it means standing again. Thread-safe. */
final class LockElection implements Election {
    private final DistributedLock lock;
    private final Supplier<Optional<LockView>> view;
    private final Executor callbacks;
    private final Events events;
    private final Consumer<LockElection> afterClose;

    /** Guarded by this object's monitor, as are all below. */
    private @Nullable Candidature candidature;

    private boolean closed;

    LockElection(
            DistributedLock lock,
            Supplier<Optional<LockView>> view,
            Executor callbacks,
            Events events,
            Consumer<LockElection> afterClose) {
        this.lock = lock;
        this.view = view;
        this.callbacks = callbacks;
        this.events = events;
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
            synchronized (this) {
                wait = fresh;
                if (ended) {
                    fresh.cancel(false);
                    return;
                }
            }
            fresh.whenComplete((lease, failure) -> {
                if (lease != null) {
                    elected(lease);
                } else if (failure != null && !fresh.isCancelled()) {
                    events.callbackFailed(name(), failure);
                }
            });
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
            callbacks.execute(this::takeTurns);
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
                try {
                    next.run();
                } catch (RuntimeException | Error broken) {
                    events.callbackFailed(name(), broken);
                }
            }
        }
    }
}
