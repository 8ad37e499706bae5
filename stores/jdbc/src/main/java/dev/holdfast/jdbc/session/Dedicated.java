package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Connections;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Connections that hold locks: a limited number, apart from those for single statements, so that held locks cannot keep
 * the store or the application from the database. Whoever finds all of them in use waits as long as some of them belong to
 * attempts, which will be over soon; if all of them hold locks, nobody knows for how long. Thread-safe.
 */
final class Dedicated implements AutoCloseable {
    private final Connections connections;
    private final int most;

    /** Guards the two counts; nobody blocks inside but to wait for a place. */
    private final ReentrantLock places = new ReentrantLock(true);

    private final Condition changed = places.newCondition();

    /** How many seats there are apart from idle ones. */
    private int taken;

    /** How many of them hold locks. */
    private int holding;

    /** Connections of our own that hold nothing at the moment; guarded by its monitor. */
    private final Deque<Seat> idle = new ArrayDeque<>();

    private volatile boolean closed;

    Dedicated(Connections connections, int most) {
        this.connections = connections;
        this.most = most;
        connections.makeWayAlso(this::endIdle);
    }

    /** All connections that may hold locks are in use. */
    static final class SpentException extends SQLException {
        private static final long serialVersionUID = 1L;

        SpentException(String message) {
            super(message);
        }
    }

    Seat take() throws SQLException {
        takePlace();
        boolean opened = false;
        try {
            Seat seat = open();
            opened = true;
            return seat;
        } finally {
            if (!opened) {
                leavePlace(false);
            }
        }
    }

    /** A single try must work on an interrupted thread too, so the wait is bounded by time alone. */
    private void takePlace() throws SpentException {
        long until = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(connections.budget().remainingMillis());
        boolean interrupted = Thread.interrupted();
        places.lock();
        try {
            while (taken == most) {
                if (holding == most) {
                    throw new SpentException("all " + most
                            + " connections that may hold locks are in use; release a lock or raise 'connections'");
                }
                long left = until - System.nanoTime();
                if (left <= 0) {
                    throw new SpentException(
                            "all " + most + " connections that may hold locks were in use for the command"
                                    + " timeout, by locks and by other attempts; raise 'connections'");
                }
                try {
                    boolean unused = changed.await(left, TimeUnit.NANOSECONDS);
                } catch (InterruptedException again) {
                    interrupted = true;
                }
            }
            taken++;
        } finally {
            places.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void leavePlace(boolean held) {
        places.lock();
        try {
            taken--;
            holding -= held ? 1 : 0;
            changed.signalAll();
        } finally {
            places.unlock();
        }
    }

    /** Notes that a seat holds locks from now on. */
    void holds(Seat seat) {
        places.lock();
        try {
            seat.holds = true;
            holding++;
            if (holding == most) {
                // Those who wait are told so.
                changed.signalAll();
            }
        } finally {
            places.unlock();
        }
    }

    /** Tells whether a seat holds locks, and notes that it does not any more; its place is still taken. */
    private boolean empties(Seat seat) {
        places.lock();
        try {
            boolean held = seat.holds;
            seat.holds = false;
            return held;
        } finally {
            places.unlock();
        }
    }

    /** Where one is found dead, all that were idle are: they are not asked one after another. */
    private Seat open() throws SQLException {
        Seat known;
        synchronized (idle) {
            known = idle.poll();
        }
        if (known != null && connections.isUsable(known.visit())) {
            return known;
        }
        if (known != null) {
            discardIdle();
        }
        return new Seat(connections.stay());
    }

    private void discardIdle() {
        takeAllIdle().forEach(seat -> seat.visit().discard());
    }

    private boolean endIdle() {
        List<Seat> all = takeAllIdle();
        all.forEach(seat -> seat.visit().end());
        return !all.isEmpty();
    }

    private List<Seat> takeAllIdle() {
        synchronized (idle) {
            List<Seat> all = List.copyOf(idle);
            idle.clear();
            return all;
        }
    }

    /** Bounds what the connection may be silent by what is left of the call's time. */
    Seat limited(Seat seat) throws SQLException {
        connections.limited(seat.visit());
        return seat;
    }

    /** Has a part of a call done by another thread. */
    Runnable carried(Runnable part) {
        return connections.budget().carried(part);
    }

    /** {@return what is left of the call's time} */
    int remainingMillis() {
        return connections.budget().remainingMillis();
    }

    /** Takes a connection back that holds nothing any more. */
    void giveBack(Seat seat) {
        connections.rest(seat.visit());
        boolean kept = false;
        // Before anybody else can take the seat and lock something with it.
        boolean held = empties(seat);
        synchronized (idle) {
            if (!closed && !connections.isShared()) {
                idle.push(seat);
                kept = true;
            }
        }
        if (!kept) {
            seat.visit().end();
        }
        leavePlace(held);
    }

    /** Closes a connection for good, and with it whatever it holds. */
    void discard(Seat seat) {
        seat.visit().discard();
        leavePlace(empties(seat));
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
        }
        discardIdle();
    }
}
