package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Where connections come from. Thread-safe. */
public interface ConnectionSource {
    /**
     * Opens or borrows a connection. Closing it gives it back.
     *
     * @return the connection
     * @throws SQLException if there is none
     */
    Connection connect() throws SQLException;

    /** {@return where connections lead to, as far as it is known without one} */
    default Optional<String> knownUrl() {
        return Optional.empty();
    }

    /**
     * Bounds how long a connection may take and be silent, where the source opens connections itself.
     *
     * @param limit the bound
     * @return a source with it
     */
    default ConnectionSource within(Duration limit) {
        return this;
    }

    /**
     * {@return how long an answer may take, in milliseconds, if that is fixed when a connection is opened; 0 if it can be
     * changed at any time, or nothing is known}. Such a connection waits for an answer when it is closed, too.
     */
    default int fixedSilenceMillis() {
        return 0;
    }

    /** {@return whether connections belong to a pool of the user's, so that they go back soon and as they came} */
    boolean isShared();
}
