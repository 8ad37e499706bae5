package dev.holdfast.jdbc.session;

import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A lock that the database keeps for a session, and nothing else. Implementations are immutable. */
public interface BareLock {
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
     * @return false if one of them is taken; then none is held
     * @throws SQLException if the database fails
     */
    boolean tryLock(Connection connection, List<Claim.Part> parts) throws SQLException;

    /**
     * Gives the names back.
     *
     * @param connection the connection that they were locked with
     * @param parts the names
     * @return false if they were not held any more
     * @throws SQLException if the database fails
     */
    boolean unlock(Connection connection, List<Claim.Part> parts) throws SQLException;

    /** {@return whether names can be locked for less than their capacity} */
    boolean shares();
}
