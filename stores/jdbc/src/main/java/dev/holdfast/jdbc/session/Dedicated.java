package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Connections;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Connections that hold locks: a limited number, apart from those for single statements, so that held locks cannot keep
 * the store or the application from the database. Thread-safe.
 */
final class Dedicated implements AutoCloseable {
    private final Connections connections;
    private final Semaphore share;
    private final int most;

    /** Connections of our own that hold nothing at the moment; guarded by its monitor. */
    private final Deque<Seat> idle = new ArrayDeque<>();

    private volatile boolean closed;

    Dedicated(Connections connections, int most) {
        this.connections = connections;
        this.share = new Semaphore(most);
        this.most = most;
    }

    /** All connections that may hold locks do so. */
    static final class SpentException extends SQLException {
        private static final long serialVersionUID = 1L;

        SpentException(int most) {
            super("all " + most + " connections that may hold locks are in use; release a lock or raise 'connections'");
        }
    }

    Seat take() throws SQLException {
        if (!share.tryAcquire()) {
            throw new SpentException(most);
        }
        boolean taken = false;
        try {
            Seat seat = open();
            taken = true;
            return seat;
        } finally {
            if (!taken) {
                share.release();
            }
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
        List<Seat> suspect;
        synchronized (idle) {
            suspect = List.copyOf(idle);
            idle.clear();
        }
        suspect.forEach(seat -> seat.visit().discard());
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
        synchronized (idle) {
            if (!closed && !connections.isShared()) {
                idle.push(seat);
                kept = true;
            }
        }
        if (!kept) {
            seat.visit().end();
        }
        share.release();
    }

    /** Closes a connection for good, and with it whatever it holds. */
    void discard(Seat seat) {
        seat.visit().discard();
        share.release();
    }

    @Override
    public void close() {
        synchronized (idle) {
            closed = true;
        }
        discardIdle();
    }
}
