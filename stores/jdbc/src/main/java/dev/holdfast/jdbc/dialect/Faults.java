package dev.holdfast.jdbc.dialect;

import dev.holdfast.HoldfastException;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the failures of databases apart. Messages of drivers quote statements and values, so none of them is passed on:
 * SQL state and code name the failure exactly.
 */
public final class Faults {
    private static final Set<String> RETRY_STATES = Set.of("40001", "40P01", "55P03");
    private static final int MYSQL_DEADLOCK = 1213;
    private static final int MYSQL_LOCK_WAIT = 1205;
    private static final int MYSQL_NOWAIT = 3572;

    /** MariaDB: a row was changed since the transaction's snapshot. */
    private static final int MARIADB_RECORD_CHANGED = 1020;

    private static final int H2_LOCK_TIMEOUT = 50200;
    private static final int H2_CONCURRENT_UPDATE = 90131;
    private static final int H2_DEADLOCK = 40001;

    private static final Set<String> UNREACHABLE_STATES = Set.of(
            "25006", "55000", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04", "57014", "HYT00", "HYT01", "70100");

    /**
     * Too many connections, shutdown in progress, connection killed, server gone, lost connection, read only; disk full (3,
     * 1021, 1026, 1114), memory or threads exhausted (5, 1037, 1038, 1041, 1135).
     */
    private static final Set<Integer> UNREACHABLE_MYSQL_CODES = Set.of(
            3, 5, 1021, 1026, 1037, 1038, 1040, 1041, 1053, 1114, 1129, 1135, 1203, 1226, 1290, 1317, 1836, 1927, 2006,
            2013, 4031);

    /** The database is closed, is being closed, its file is locked, connection broken. */
    private static final Set<Integer> UNREACHABLE_H2_CODES = Set.of(90007, 90020, 90067, 90098, 90121, 90135);

    private static final Set<String> MISCONFIGURED_STATES =
            Set.of("42P01", "42S02", "42S22", "42703", "42501", "3D000", "3F000", "42883", "0A000", "22023");

    /** Access to database, user, table, column or privilege denied; unknown database, table, column. */
    private static final Set<Integer> MISCONFIGURED_MYSQL_CODES =
            Set.of(1044, 1045, 1049, 1054, 1142, 1143, 1146, 1227, 1370, 1698);

    /** Not enough rights, unknown user or password, no such database. */
    private static final Set<Integer> MISCONFIGURED_H2_CODES = Set.of(28000, 90096, 90146, 42102, 42104, 42122, 90040);

    /** What can be done about a failure. */
    public enum Kind {
        /** The transaction was undone by the database and may succeed when repeated. */
        RETRY,
        /** Somebody else has inserted the row. */
        DUPLICATE,
        /** The connection or the server failed, so the outcome is unknown. */
        UNREACHABLE,
        /** Trying again cannot help. */
        MISCONFIGURED,
        /** Anything else. */
        OTHER
    }

    private Faults() {}

    /**
     * Tells what kind of failure it is.
     *
     * @param failure what the driver threw
     * @return the kind
     */
    public static Kind kindOf(SQLException failure) {
        String state = stateOf(failure);
        int code = failure.getErrorCode();
        if (RETRY_STATES.contains(state)
                || code == MYSQL_DEADLOCK
                || code == MYSQL_LOCK_WAIT
                || code == MARIADB_RECORD_CHANGED
                || code == H2_LOCK_TIMEOUT
                || code == H2_CONCURRENT_UPDATE
                || code == H2_DEADLOCK) {
            return Kind.RETRY;
        }
        if (state.startsWith("23505") || code == 1062 || code == 23505) {
            return Kind.DUPLICATE;
        }
        if (state.startsWith("28")
                || MISCONFIGURED_STATES.contains(state)
                || MISCONFIGURED_MYSQL_CODES.contains(code)
                || MISCONFIGURED_H2_CODES.contains(code)
                || failure instanceof SQLInvalidAuthorizationSpecException) {
            return Kind.MISCONFIGURED;
        }
        return isUnreachable(failure, state, code) ? Kind.UNREACHABLE : Kind.OTHER;
    }

    /**
     * Tells whether a row is locked by somebody else, which is an answer and no failure.
     *
     * @param failure what the driver threw at a statement that does not want to wait
     * @return true if so; a deadlock, for instance, is something else
     */
    public static boolean isTaken(SQLException failure) {
        int code = failure.getErrorCode();
        return "55P03".equals(failure.getSQLState())
                || code == MYSQL_LOCK_WAIT
                || code == MYSQL_NOWAIT
                || code == H2_LOCK_TIMEOUT;
    }

    private static boolean isUnreachable(SQLException failure, String state, int code) {
        return state.startsWith("08")
                || state.startsWith("53")
                || UNREACHABLE_STATES.contains(state)
                || UNREACHABLE_MYSQL_CODES.contains(code)
                || UNREACHABLE_H2_CODES.contains(code)
                || failure instanceof SQLNonTransientConnectionException
                || failure instanceof SQLTransientConnectionException
                || failure instanceof SQLRecoverableException
                || failure instanceof SQLTimeoutException;
    }

    /**
     * Makes the exception that a caller of the store sees.
     *
     * @param operation what was asked
     * @param lockName of which lock
     * @param failure what the driver threw
     * @return the exception
     */
    public static HoldfastException translate(String operation, String lockName, SQLException failure) {
        return switch (kindOf(failure)) {
            case MISCONFIGURED ->
                new StoreMisconfiguredException("the database refused '" + operation + "' for '" + lockName
                        + "' because of its set-up (" + describe(failure)
                        + "); check user, password, permissions and tables");
            case UNREACHABLE, RETRY -> new StoreUnavailableException(operation, lockName, cause(failure));
            case DUPLICATE, OTHER ->
                new HoldfastException(
                        "the database failed in '" + operation + "' for '" + lockName + "' (" + describe(failure) + ")",
                        cause(failure));
        };
    }

    /**
     * Describes a failure without quoting a driver's message.
     *
     * @param failure what the driver threw
     * @return SQL state and code, or what we have to say ourselves
     */
    public static String describe(SQLException failure) {
        if (failure instanceof NoConnectionException ours) {
            return String.valueOf(ours.getMessage());
        }
        return "SQL state " + stateOf(failure) + ", code " + failure.getErrorCode();
    }

    /**
     * Keeps the stack trace of a failure and drops its message.
     *
     * @param failure what the driver threw
     * @return an exception that may be shown
     */
    public static SQLException cause(SQLException failure) {
        SQLException shown = new SQLException(describe(failure), failure.getSQLState(), failure.getErrorCode());
        shown.setStackTrace(failure.getStackTrace());
        return shown;
    }

    private static String stateOf(SQLException failure) {
        @Nullable String state = failure.getSQLState();
        return state == null ? "unknown" : state;
    }
}
