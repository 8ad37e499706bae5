package dev.holdfast.jdbc.session;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A claim that holds, with the connection that holds it: held, then over. Whoever ends it, by a release, a loss or a guard
 * of time, does so once and alone knows why. Thread-safe; the connection is used under {@link #use} only.
 */
final class Held {
    final Claim claim;
    final List<Grant> grants;
    final Seat seat;
    final String session;

    /** What took it, and gives it back. */
    final SessionLock lock;

    /** Guards the connection. What only closes it needs no permission. */
    private final ReentrantLock use = new ReentrantLock();

    /** The names that were given back already; guarded by its monitor. */
    private final Set<String> givenBack = new HashSet<>();

    private final AtomicBoolean over = new AtomicBoolean();

    /** Whether somebody is looking at the connection just now. */
    final AtomicBoolean lookedAt = new AtomicBoolean();

    /** When the connection gave its last sign of life, by {@link System#nanoTime}. */
    volatile long aliveNanos = System.nanoTime();

    Held(Claim claim, List<Grant> grants, Seat seat, String session, SessionLock lock) {
        this.claim = claim;
        this.grants = grants;
        this.seat = seat;
        this.session = session;
        this.lock = lock;
    }

    boolean matches(Grant grant) {
        return grants.stream().anyMatch(mine -> mine.name().equals(grant.name()) && mine.epoch() == grant.epoch());
    }

    /** Ends it; true for whoever comes first. */
    boolean finish() {
        return over.compareAndSet(false, true);
    }

    boolean isOver() {
        return over.get();
    }

    /** Notes that a name was given back; tells whether it was the first time. */
    boolean giveBack(String name) {
        synchronized (givenBack) {
            return givenBack.add(name);
        }
    }

    boolean isGivenBack() {
        synchronized (givenBack) {
            return givenBack.size() == grants.size();
        }
    }

    /** Asks for the connection; an interrupted thread keeps its status and gets no answer sooner. */
    boolean use(int millis) {
        boolean interrupted = Thread.interrupted();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            while (true) {
                try {
                    return use.tryLock(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void leave() {
        use.unlock();
    }
}
