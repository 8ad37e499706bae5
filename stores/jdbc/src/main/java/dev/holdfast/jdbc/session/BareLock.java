package dev.holdfast.jdbc.session;

import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A lock that the database keeps for a session, and nothing else. Implementations are immutable. */
public interface BareLock {
    /** Is told which session a lock is about to be taken in. */
    @FunctionalInterface
    interface SessionListener {
        /**
         * Called before anything is locked, when it is certain that it will be this session.
         *
         * @param number the database's number of it
         * @param begun when its transaction began, see {@link SessionId}
         */
        void locksIn(long number, long begun);
    }

    /**
     * Does what has to be done once for names, in autocommit and before a session locks them.
     *
     * @param connection another connection
     * @param parts what is to be locked
     * @throws SQLException if the database fails
     */
    void prepare(Connection connection, List<Claim.Part> parts) throws SQLException;

    /**
     * Locks names for the session of a connection, all or nothing, without waiting for a holder.
     *
     * @param connection a connection that is kept while the lock is held
     * @param parts the names, sorted
     * @param listener is told the session, if {@link #keepsTransaction}
     * @return false if one of them is taken; then none is held
     * @throws SQLException if the database fails
     */
    boolean tryLock(Connection connection, List<Claim.Part> parts, SessionListener listener) throws SQLException;

    /**
     * Gives the names back.
     *
     * @param connection the connection that they were locked with
     * @param parts the names
     * @return false if they were not held any more
     * @throws SQLException if the database fails
     */
    boolean unlock(Connection connection, List<Claim.Part> parts) throws SQLException;

    /**
     * {@return whether a transaction keeps the lock; behind a pooler, the connection has one session only as long as that
     * lasts, and another one before and afterwards}
     */
    boolean keepsTransaction();

    /** {@return whether names can be locked for less than their capacity} */
    boolean shares();
}
