package dev.holdfast.jdbc.session;

import dev.holdfast.HoldfastException;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client holds, with the watch over the connections that hold it: they are looked at twice a second, and a loss is
 * told. A look that hangs is guarded by a timer that shares no thread with looks: it tells the loss when the command
 * timeout has passed, however many looks hang. Thread-safe.
 */
final class Holdings implements AutoCloseable {
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

    /** A loss is certain; why it happened is told if the database answers in this time. */
    private static final Duration REASON_PATIENCE = Duration.ofMillis(500);

    /** A guard that comes later than this has slept with its process, so its connection is given another chance. */
    private static final Duration SLEPT = Duration.ofMillis(250);

    private static final int MOST_LOSSES = 1_000;
    private static final long ENDING_PAUSE_NANOS = 1_000_000;

    private final StoreContext context;
    private final Dedicated dedicated;
    private final Orphans orphans;
    private final Map<OwnerId, Held> held = new ConcurrentHashMap<>();
    private final Map<OwnerId, LossReason> lost = new ConcurrentHashMap<>();

    /** What is being given back just now. */
    private final Set<Held> ending = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile boolean closed;

    Holdings(StoreContext context, Dedicated dedicated, Orphans orphans) {
        this.context = context;
        this.dedicated = dedicated;
        this.orphans = orphans;
    }

    void add(Held mine) {
        held.put(mine.claim.owner(), mine);
        lookLater();
    }

    @Nullable
    Held get(OwnerId owner) {
        return held.get(owner);
    }

    /** Whoever removes a holding ends it. */
    @Nullable
    Held remove(OwnerId owner) {
        return held.remove(owner);
    }

    /** Whether the loss of a claim was told. */
    boolean hasTold(OwnerId owner) {
        return lost.containsKey(owner);
    }

    LossReason reasonOfLoss(OwnerId owner) {
        return lost.getOrDefault(owner, LossReason.SESSION_LOST);
    }

    /** Gives a claim back. */
    ReleaseOutcome end(Held mine) {
        return Objects.requireNonNull(end(List.of(mine)).get(mine));
    }

    /** Gives claims back, all at the same time: each has a connection of its own. */
    Map<Held, ReleaseOutcome> end(Collection<Held> some) {
        Map<Held, ReleaseOutcome> outcomes = new ConcurrentHashMap<>();
        List<Held> mine = some.stream().filter(Held::finish).toList();
        if (!mine.isEmpty()) {
            ending.addAll(mine);
            boolean struck = strike(mine);
            together(mine, each -> {
                outcomes.put(each, giveBack(each, struck));
                ending.remove(each);
            });
        }
        for (Held each : some) {
            boolean lostBefore = !mine.contains(each) && !ending.contains(each);
            outcomes.putIfAbsent(each, lostBefore ? ReleaseOutcome.NOT_HELD : unanswered(each));
        }
        return outcomes;
    }

    /** A holder that could not be taken from the roll goes from it with its session. */
    private static boolean strike(List<Held> mine) {
        try {
            mine.get(0).lock.strike(mine.stream().map(each -> each.claim).toList());
            return true;
        } catch (HoldfastException unanswered) {
            return false;
        }
    }

    private static ReleaseOutcome unanswered(Held mine) {
        return new ReleaseOutcome.Unknown(new StoreUnavailableException("release", mine.claim.describe(), null));
    }

    /** Takes a step for each, on as many threads as there are; returns when all are done or the call's time is up. */
    private void together(List<Held> all, Consumer<Held> step) {
        CountDownLatch others = new CountDownLatch(all.size() - 1);
        for (Held each : all.subList(1, all.size())) {
            Runnable part = dedicated.carried(() -> {
                try {
                    step.accept(each);
                } finally {
                    others.countDown();
                }
            });
            try {
                context.ioExecutor().execute(part);
            } catch (RejectedExecutionException closing) {
                part.run();
            }
        }
        step.accept(all.get(0));
        boolean interrupted = Thread.interrupted();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(dedicated.remainingMillis());
        while (others.getCount() > 0 && System.nanoTime() - until < 0) {
            try {
                boolean unused = others.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private ReleaseOutcome giveBack(Held mine, boolean struck) {
        if (!mine.use(dedicated.remainingMillis())) {
            // Somebody waits for an answer of this connection. The end of the connection is the end of the lock.
            abandon(mine);
            return unanswered(mine);
        }
        boolean late = !struck && mine.seat.visit().wouldOutlast(dedicated.remainingMillis());
        try {
            if (late) {
                // The database has not answered before, and this connection would wait for a whole command timeout
                // more.
                abandon(mine);
                return unanswered(mine);
            }
            boolean stillHeld = mine.lock.giveBack(dedicated.limited(mine.seat), mine.claim);
            if (struck) {
                dedicated.giveBack(mine.seat);
            } else {
                dedicated.discard(mine.seat);
            }
            return stillHeld ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
        } catch (SQLException broken) {
            abandon(mine);
            return unanswered(mine);
        } finally {
            mine.leave();
        }
    }

    /** Closes the connection of a lock whose end nobody has confirmed. */
    private void abandon(Held mine) {
        orphans.add(mine.claim.owner(), mine.lock, mine.seat);
        dedicated.discard(mine.seat);
    }

    @Override
    public void close() {
        closed = true;
        end(held.values());
        held.clear();
        // What other threads are giving back is free too when this returns, if the database answers in time.
        long until = System.nanoTime() + context.commandTimeout().toNanos();
        while (!ending.isEmpty() && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(ENDING_PAUSE_NANOS);
        }
    }

    /** Looks at the connections that hold locks, as long as there are any, each for itself: one may be silent for long. */
    private void lookLater() {
        if (!closed && looking.compareAndSet(false, true)) {
            context.scheduler().scheduleGuard(LOOK_INTERVAL, () -> {
                looking.set(false);
                held.values().forEach(this::lookInBackground);
                if (!held.isEmpty()) {
                    lookLater();
                }
            });
        }
    }

    private void lookInBackground(Held mine) {
        if (!mine.lookedAt.compareAndSet(false, true)) {
            return;
        }
        Runnable cancel = guard(mine, context.commandTimeout().plus(REASON_PATIENCE));
        try {
            context.ioExecutor().execute(() -> {
                try {
                    isAlive(mine);
                } finally {
                    cancel.run();
                    mine.lookedAt.set(false);
                }
            });
        } catch (RejectedExecutionException closing) {
            // The client is closed and holds nothing any more.
            cancel.run();
            mine.lookedAt.set(false);
        }
    }

    /** Tells the loss of a connection that has not answered a look in time. */
    private Runnable guard(Held mine, Duration patience) {
        long armed = System.nanoTime();
        return context.scheduler().scheduleGuard(patience, () -> {
            long late = System.nanoTime() - armed - patience.toNanos();
            boolean answered = mine.aliveNanos - armed > 0;
            if (answered || mine.isOver()) {
                return;
            }
            if (late > SLEPT.toNanos()) {
                guard(mine, REASON_PATIENCE);
            } else if (mine.finish()) {
                held.remove(mine.claim.owner(), mine);
                tell(new AtomicBoolean(), mine, Set.of());
                abandonInBackground(mine);
            }
        });
    }

    /** To close a connection may take time, which a guard does not have. */
    private void abandonInBackground(Held mine) {
        try {
            context.ioExecutor().execute(() -> abandon(mine));
        } catch (RejectedExecutionException closing) {
            abandon(mine);
        }
    }

    /** A connection that was looked at a moment ago is not asked again. */
    boolean isKnownAlive(Held mine) {
        boolean lately = System.nanoTime() - mine.aliveNanos < 2 * LOOK_INTERVAL.toNanos();
        return !mine.isOver() && (lately || isAlive(mine));
    }

    /** Asks the connection of a lock for a sign of life; without one the lock is lost, and that is told. */
    boolean isAlive(Held mine) {
        if (!mine.use(dedicated.remainingMillis())) {
            throw new StoreUnavailableException(
                    "renew",
                    mine.claim.describe(),
                    new IllegalStateException("the connection of the lock is waiting for an answer"));
        }
        boolean answered = false;
        try {
            if (mine.isOver()) {
                return false;
            }
            if (mine.lock.sessionOf(dedicated.limited(mine.seat)) == mine.seat.backend()) {
                mine.aliveNanos = System.nanoTime();
                return true;
            }
            answered = true;
        } catch (SQLException gone) {
            // It is treated like one that has become another session.
        } finally {
            mine.leave();
        }
        if (mine.finish()) {
            if (answered) {
                dedicated.discard(mine.seat);
            } else {
                abandon(mine);
            }
            held.remove(mine.claim.owner(), mine);
            tellLoss(mine);
        }
        return false;
    }

    /** Tells it at once, with the reason if that is known soon; a database that is silent must not keep the loss back. */
    private void tellLoss(Held mine) {
        AtomicBoolean told = new AtomicBoolean();
        Runnable cancel = context.scheduler().scheduleGuard(REASON_PATIENCE, () -> tell(told, mine, Set.of()));
        try {
            Set<Grant> evicted = new HashSet<>();
            for (Grant grant : mine.grants) {
                if (mine.lock.read(grant.name()).isEvicted(grant.epoch())) {
                    evicted.add(grant);
                }
            }
            tell(told, mine, evicted);
            mine.lock.strike(List.of(mine.claim));
        } catch (HoldfastException unanswered) {
            tell(told, mine, Set.of());
        } finally {
            cancel.run();
        }
    }

    private void tell(AtomicBoolean told, Held mine, Set<Grant> evicted) {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        if (lost.size() > MOST_LOSSES) {
            lost.clear();
        }
        for (Grant grant : mine.grants) {
            LossReason reason = evicted.contains(grant) ? LossReason.EVICTED : LossReason.SESSION_LOST;
            lost.put(mine.claim.owner(), reason);
            context.listener().lost(grant.name(), grant.owner(), grant.epoch(), reason);
        }
        context.listener().sessionLost(mine.session);
    }
}
