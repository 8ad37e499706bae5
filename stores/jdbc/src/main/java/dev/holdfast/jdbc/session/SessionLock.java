package dev.holdfast.jdbc.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;

/** A lock that the database itself keeps for one of its sessions. Implementations are immutable. */
public interface SessionLock {
    /**
     * Does what has to be done once for names, in autocommit and before a session locks them.
     *
     * @param connection another connection
     * @param names the names
     * @throws SQLException if the database fails
     */
    void prepare(Connection connection, Collection<String> names) throws SQLException;

    /**
     * Locks names for the session of a connection, all or nothing, without waiting for a holder.
     *
     * @param connection a connection that is kept while the lock is held
     * @param names the names, sorted
     * @return false if one of them is taken; then none is held
     * @throws SQLException if the database fails
     */
    boolean tryLock(Connection connection, Collection<String> names) throws SQLException;

    /**
     * Gives the names back.
     *
     * @param connection the connection that they were locked with
     * @param names the names
     * @throws SQLException if the database fails
     */
    void unlock(Connection connection, Collection<String> names) throws SQLException;
}
