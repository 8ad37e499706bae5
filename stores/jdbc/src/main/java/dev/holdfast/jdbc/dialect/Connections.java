package dev.holdfast.jdbc.dialect;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The one place that lends connections, sets them up and puts them back. From a URL it keeps a small pool of its own; from
 * a user's pool it borrows for each piece of work. In both cases one connection is reserved, so that neither the store's
 * other work nor an application that has emptied its pool can keep a lease from being renewed. Everything takes its time
 * from the {@link CallBudget} of the call. Thread-safe.
 */
public final class Connections implements AutoCloseable {
    /** A connection that was used this recently is taken to be alive; an older one is asked first. */
    private static final long TRUSTED_NANOS = Duration.ofSeconds(1).toNanos();

    /** A server notices a moment later that connections are closed. Pauses double: together they are a third of a second. */
    private static final int MOST_TRIES_ON_A_FULL_SERVER = 7;

    private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(5).toNanos();

    private final ConnectionSource source;
    private final boolean keepsSeats;
    private final int most;
    private final CallBudget budget;
    private final Opener opener;
    private final Semaphore free;
    private final ReentrantLock renewing = new ReentrantLock();

    /** Idle connections, newest first; guarded by its monitor. Empty where the source is a pool. */
    private final Deque<Visit> idle = new ArrayDeque<>();

    /** Closes idle connections of the same client that are kept elsewhere, and tells whether there were any. */
    private volatile BooleanSupplier othersIdle = () -> false;

    /** The reserved connection; guarded by {@link #renewing}. */
    private @Nullable Visit reserved;

    /** Connections that were idle at this time are suspect, because one of them had died; 0 if none had. */
    private volatile long distrustedNanos;

    private volatile boolean closed;

    /**
     * Makes it, without connecting.
     *
     * @param source where connections come from
     * @param most how many may be used at the same time, besides the reserved one
     * @param commandTimeout how long a call may take
     */
    public Connections(ConnectionSource source, int most, Duration commandTimeout) {
        this(source, most, commandTimeout, false);
    }

    private Connections(ConnectionSource source, int most, Duration commandTimeout, boolean keepsSeats) {
        this.source = source;
        this.keepsSeats = keepsSeats;
        this.most = most;
        this.free = new Semaphore(most);
        this.budget = new CallBudget(commandTimeout);
        this.opener = new Opener(source, budget.totalMillis(), this::giveBack);
    }

    /**
     * Makes one for a store whose locks keep connections. Whoever keeps a connection of the user's pool must not wait for a
     * second one: with as many of them as connections nobody would go on. So all other work is done on the reserved one.
     *
     * @param source where connections come from
     * @param most how many may be used at the same time for other work, where the source is no pool
     * @param commandTimeout how long a call may take
     * @return the connections
     */
    public static Connections withSeats(ConnectionSource source, int most, Duration commandTimeout) {
        return new Connections(source, most, commandTimeout, true);
    }

    /**
     * Names idle connections of the same client that are kept elsewhere.
     *
     * @param end closes them, and tells whether there were any; called when the server has no connections left
     */
    public void makeWayAlso(BooleanSupplier end) {
        othersIdle = end;
    }

    /** {@return the deadline of the calls that use these connections} */
    public CallBudget budget() {
        return budget;
    }

    /**
     * Does a piece of work of one statement on a connection.
     *
     * @param <R> what comes out
     * @param work what to do
     * @return its result
     * @throws SQLException if there is no connection, or the work fails
     */
    public <R> R with(Work<R> work) throws SQLException {
        return with(false, work);
    }

    /**
     * Does a piece of work of several statements on a connection.
     *
     * @param <R> what comes out
     * @param work what to do
     * @return its result
     * @throws SQLException if there is no connection, or the work fails
     */
    public <R> R withSeveral(Work<R> work) throws SQLException {
        return with(true, work);
    }

    private <R> R with(boolean several, Work<R> work) throws SQLException {
        if (keepsSeats && source.isShared()) {
            return withReserved(work);
        }
        if (!patiently(() -> free.tryAcquire(budget.remainingMillis(), TimeUnit.MILLISECONDS))) {
            throw new NoConnectionException(
                    "all connections of the store were in use for the command timeout; raise 'connections'", "08001");
        }
        try {
            Visit visit = take();
            boolean usable = false;
            try {
                R result = work.on(
                        several
                                ? BoundedConnection.of(visit, budget)
                                : limited(visit).connection());
                usable = true;
                return result;
            } catch (SQLException failure) {
                usable = survives(failure);
                throw failure;
            } catch (RuntimeException ours) {
                usable = !visit.isClosed();
                throw ours;
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
     * Does a piece of work on the connection that is reserved.
     *
     * @param <R> what comes out
     * @param work what to do
     * @return its result
     * @throws SQLException if there is no connection, or the work fails
     */
    public <R> R withReserved(Work<R> work) throws SQLException {
        if (!patiently(() -> renewing.tryLock(budget.remainingMillis(), TimeUnit.MILLISECONDS))) {
            throw new NoConnectionException("the reserved connection was in use for the command timeout", "08001");
        }
        try {
            refuseIfClosed();
            Visit visit = reserved;
            reserved = null;
            if (visit == null || !isUsable(visit)) {
                visit = open(!source.isShared());
            }
            boolean usable = false;
            try {
                R result = work.on(BoundedConnection.of(visit, budget));
                usable = true;
                return result;
            } catch (SQLException failure) {
                usable = survives(failure);
                throw failure;
            } catch (RuntimeException ours) {
                usable = !visit.isClosed();
                throw ours;
            } finally {
                // After a deadlock it is kept: an application that has emptied its pool would not lend another one.
                if (usable && !visit.isClosed()) {
                    rest(visit);
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
        return open(false);
    }

    /**
     * Tells whether a connection still works, and closes it for good if not. One that was used a moment ago is not asked.
     * Half of what is left of the call's time is spent on it; the other half is for a new connection.
     *
     * @param visit a connection that was left alone since {@link #rest}
     * @return true if it can be used
     */
    public boolean isUsable(Visit visit) {
        long since = visit.idleSince();
        long distrusted = distrustedNanos;
        boolean trusted = System.nanoTime() - since < TRUSTED_NANOS && (distrusted == 0 || since - distrusted > 0);
        if (trusted || visit.answers(Math.max(1, budget.remainingMillis() / 2))) {
            return true;
        }
        visit.discard();
        distrust();
        return false;
    }

    /**
     * Notes that a connection is idle from now on.
     *
     * @param visit the connection
     */
    public void rest(Visit visit) {
        visit.idleSince(System.nanoTime());
    }

    /**
     * Bounds the silence of a connection by what is left of the call's time.
     *
     * @param visit the connection
     * @return the same
     * @throws SQLException if the connection is closed
     */
    public Visit limited(Visit visit) throws SQLException {
        visit.limitSilence(budget.allowedSilenceMillis());
        return visit;
    }

    /** {@return how many may be used at the same time, besides the reserved one} */
    public int most() {
        return most;
    }

    /** {@return whether connections belong to a pool of the user's} */
    public boolean isShared() {
        return source.isShared();
    }

    /** {@return how long a call may take, in milliseconds} */
    public int commandTimeoutMillis() {
        return budget.totalMillis();
    }

    @Override
    public void close() {
        closed = true;
        opener.close();
        takeAllIdle().forEach(Visit::end);
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
            distrust();
        }
        return kind != Faults.Kind.UNREACHABLE && kind != Faults.Kind.OTHER;
    }

    /** After one connection was found dead, those that are idle are not asked one after another. */
    private void distrust() {
        distrustedNanos = System.nanoTime() | 1;
        takeAllIdle().forEach(Visit::discard);
    }

    private List<Visit> takeAllIdle() {
        synchronized (idle) {
            List<Visit> all = List.copyOf(idle);
            idle.clear();
            return all;
        }
    }

    private Visit take() throws SQLException {
        refuseIfClosed();
        Visit visit = null;
        if (!source.isShared()) {
            synchronized (idle) {
                visit = idle.poll();
            }
        }
        return visit != null && isUsable(visit) ? visit : open(!source.isShared());
    }

    /**
     * Opens one. Where the server has none left, the idle ones of this client make way: they are of another kind, so nobody
     * could use them for this, and they would stay for as long as the server lets them.
     */
    private Visit open(boolean prepared) throws SQLException {
        boolean madeWay = false;
        long pause = FIRST_PAUSE_NANOS;
        for (int tries = 1; ; tries++) {
            try {
                return opener.open(budget.remainingMillis(), prepared);
            } catch (SQLException refused) {
                if (!Faults.isOutOfConnections(refused)) {
                    throw refused;
                }
                madeWay |= endIdle();
                boolean inTime = System.nanoTime() + pause - budget.deadlineNanos() < 0;
                if (!madeWay || !inTime || tries == MOST_TRIES_ON_A_FULL_SERVER) {
                    throw refused;
                }
                LockSupport.parkNanos(pause);
                pause *= 2;
            }
        }
    }

    private boolean endIdle() {
        List<Visit> all = takeAllIdle();
        all.forEach(Visit::end);
        return othersIdle.getAsBoolean() || !all.isEmpty();
    }

    private void giveBack(Visit visit) {
        if (visit.isClosed()) {
            visit.discard();
            return;
        }
        if (source.isShared()) {
            visit.end();
            return;
        }
        rest(visit);
        synchronized (idle) {
            // Some come so late that others were opened in their place meanwhile.
            if (!closed && idle.size() < most) {
                idle.push(visit);
                return;
            }
        }
        visit.end();
    }

    private void refuseIfClosed() throws SQLException {
        if (closed) {
            throw new NoConnectionException("the store is closed", "08003");
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

    /** A wait with a limit. */
    private interface BoundedWait {
        boolean await() throws InterruptedException;
    }
}
