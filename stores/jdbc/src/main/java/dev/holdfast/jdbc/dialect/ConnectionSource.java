package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections come from. Thread-safe. */
public interface ConnectionSource {
    /**
     * Opens or borrows a connection. Closing it gives it back.
     *
     * @return the connection
     * @throws SQLException if there is none
     */
    Connection connect() throws SQLException;

    /** {@return whether connections belong to a pool of the user's, so that they go back soon and as they came} */
    boolean isShared();
}
