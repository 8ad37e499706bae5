package dev.holdfast.jdbc.dialect;

import java.sql.SQLTransientConnectionException;

/** There is no connection to work on. Unlike a driver's, its message is our own and may be shown. */
final class NoConnectionException extends SQLTransientConnectionException {
    private static final long serialVersionUID = 1L;

    NoConnectionException(String message, String state) {
        super(message, state);
    }
}
