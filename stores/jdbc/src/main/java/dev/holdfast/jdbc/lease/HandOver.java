package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Grant;
import java.sql.Connection;
import java.sql.SQLException;

/** Gives a contended plain lock to the head of its line in one round trip. Thread-safe. */
interface HandOver {
    /**
     * Gives a grant back to the head of the line.
     *
     * @param connection in autocommit
     * @param grant the grant
     * @return false if there is no head that could have it like this; then nothing was changed
     */
    boolean handOver(Connection connection, Grant grant) throws SQLException;
}
