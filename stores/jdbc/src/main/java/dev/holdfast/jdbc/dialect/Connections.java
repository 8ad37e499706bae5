package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lends connections for single pieces of work. From a URL it keeps a small pool of its own; from a user's pool it borrows
 * for each piece of work. In both cases one connection is reserved for renewals, so that neither the store's other work
 * nor an application that has emptied its pool can keep a lease from being renewed. Thread-safe.
 */
public final class Connections implements AutoCloseable {
    /** A connection that was used this recently is taken to be alive; an older one is asked first. */
    private static final long TRUSTED_NANOS = Duration.ofSeconds(1).toNanos();

    private final ConnectionSource source;
    private final int commandTimeoutMillis;
    private final Semaphore free;
    private final ReentrantLock renewing = new ReentrantLock();

    /** Idle connections, newest first; guarded by its monitor. Empty where the source is a pool. */
    private final Deque<Visit> idle = new ArrayDeque<>();

    /** The connection for renewals; guarded by {@link #renewing}. */
    private @Nullable Visit reserved;

    private volatile long distrustedNanos = Long.MIN_VALUE;
    private volatile boolean closed;

    /**
     * Makes it, without connecting.
     *
     * @param source where connections come from
     * @param most how many may be used at the same time, besides the reserved one
     * @param commandTimeout how long the database may be silent
     */
    public Connections(ConnectionSource source, int most, Duration commandTimeout) {
        this.source = source;
        this.free = new Semaphore(most);
        this.commandTimeoutMillis = (int) Math.min(Integer.MAX_VALUE, Math.max(1, commandTimeout.toMillis()));
    }

    /**
     * Does a piece of work on a connection.
     *
     * @param <R> what comes out
     * @param work what to do
     * @return its result
     * @throws SQLException if there is no connection, or the work fails
     */
    public <R> R with(Work<R> work) throws SQLException {
        acquirePermit();
        try {
            Visit visit = take();
            boolean usable = false;
            try {
                R result = work.on(visit.connection());
                usable = true;
                return result;
            } catch (SQLException failure) {
                usable = survives(failure);
                throw failure;
            } finally {
                if (usable) {
                    giveBack(visit);
                } else {
                    visit.discard();
                }
            }
        } finally {
            free.release();
        }
    }

    /**
     * Does a piece of work on the connection that is reserved for renewals.
     *
     * @param <R> what comes out
     * @param work what to do
     * @return its result
     * @throws SQLException if there is no connection, or the work fails
     */
    public <R> R withReserved(Work<R> work) throws SQLException {
        lockReserved();
        try {
            Visit visit = reserved;
            reserved = null;
            if (visit == null || !isAlive(visit)) {
                visit = open();
            }
            boolean usable = false;
            try {
                R result = work.on(visit.connection());
                usable = true;
                return result;
            } catch (SQLException failure) {
                usable = survives(failure);
                throw failure;
            } finally {
                // After a deadlock it is kept: an application that has emptied its pool would not lend another one.
                if (usable) {
                    visit.idleSince(System.nanoTime());
                    reserved = visit;
                } else {
                    visit.discard();
                }
            }
        } finally {
            renewing.unlock();
        }
    }

    /**
     * Borrows or opens a connection that the caller keeps for a while, in autocommit and with a bound on its silence.
     *
     * @return the connection; to be ended, or discarded
     * @throws SQLException if there is none
     */
    public Visit stay() throws SQLException {
        refuseIfClosed();
        // Without the limits on idleness: a lock is kept by a connection that is idle.
        return Visit.begin(connect(), commandTimeoutMillis);
    }

    /**
     * Tells whether a connection still works, and closes it for good if not. One that was used a moment ago is not asked.
     *
     * @param visit a connection from {@link #stay} that was left alone since {@link #rest}
     * @return true if it can be used
     */
    public boolean isUsable(Visit visit) {
        return isAlive(visit);
    }

    /**
     * Notes that a connection is idle from now on.
     *
     * @param visit the connection
     */
    public void rest(Visit visit) {
        visit.idleSince(System.nanoTime());
    }

    /** {@return whether connections belong to a pool of the user's} */
    public boolean isShared() {
        return source.isShared();
    }

    /** {@return how long the database may be silent, in milliseconds} */
    public int commandTimeoutMillis() {
        return commandTimeoutMillis;
    }

    @Override
    public void close() {
        closed = true;
        synchronized (idle) {
            idle.forEach(Visit::end);
            idle.clear();
        }
        renewing.lock();
        try {
            if (reserved != null) {
                reserved.end();
                reserved = null;
            }
        } finally {
            renewing.unlock();
        }
    }

    /** Whether a connection can be used further after a failure, which the database has answered with and undone. */
    private boolean survives(SQLException failure) {
        Faults.Kind kind = Faults.kindOf(failure);
        if (kind == Faults.Kind.UNREACHABLE) {
            distrustedNanos = System.nanoTime();
        }
        return kind != Faults.Kind.UNREACHABLE && kind != Faults.Kind.OTHER;
    }

    private Visit take() throws SQLException {
        refuseIfClosed();
        while (!source.isShared()) {
            Visit visit;
            synchronized (idle) {
                visit = idle.poll();
            }
            if (visit == null) {
                break;
            }
            if (isAlive(visit)) {
                return visit;
            }
        }
        return open();
    }

    private Visit open() throws SQLException {
        Visit visit = Visit.begin(connect(), commandTimeoutMillis);
        if (!source.isShared()) {
            try {
                Transactions.prepareOwn(visit.connection());
            } catch (SQLException | RuntimeException unusable) {
                visit.discard();
                throw unusable;
            }
        }
        return visit;
    }

    private void giveBack(Visit visit) throws SQLException {
        if (visit.connection().isClosed()) {
            visit.discard();
            return;
        }
        if (source.isShared()) {
            visit.end();
            return;
        }
        visit.idleSince(System.nanoTime());
        synchronized (idle) {
            if (!closed) {
                idle.push(visit);
                return;
            }
        }
        visit.end();
    }

    /** Asks a connection that was idle for a while, or since before another one failed, whether it still works. */
    private boolean isAlive(Visit visit) {
        boolean trusted = System.nanoTime() - visit.idleSince() < TRUSTED_NANOS
                && (distrustedNanos == Long.MIN_VALUE || visit.idleSince() - distrustedNanos > 0);
        try {
            if (trusted || visit.connection().isValid(Math.max(1, commandTimeoutMillis / 1_000))) {
                return true;
            }
        } catch (SQLException broken) {
            // It is treated like one that says no.
        }
        visit.discard();
        return false;
    }

    private void refuseIfClosed() throws SQLException {
        if (closed) {
            throw new NoConnectionException("the store is closed", "08003");
        }
    }

    private void acquirePermit() throws SQLException {
        if (!patiently(() -> free.tryAcquire(commandTimeoutMillis, TimeUnit.MILLISECONDS))) {
            throw new NoConnectionException(
                    "all connections of the store were in use for the command timeout; raise 'connections'", "08001");
        }
    }

    private void lockReserved() throws SQLException {
        if (!patiently(() -> renewing.tryLock(commandTimeoutMillis, TimeUnit.MILLISECONDS))) {
            throw new NoConnectionException("the connection for renewals was in use for the command timeout", "08001");
        }
    }

    /** A single try must work on an interrupted thread too, so the wait is bounded by time alone. */
    private static boolean patiently(BoundedWait wait) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return wait.await();
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

    /** Pools refuse interrupted threads; the status is put aside while one is asked. */
    private Connection connect() throws SQLException {
        boolean interrupted = Thread.interrupted();
        try {
            return source.connect();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A wait with a limit. */
    private interface BoundedWait {
        boolean await() throws InterruptedException;
    }
}
