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
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the failures of databases apart. Messages of drivers quote statements and values, so none of them is passed on:
 * SQL state and code name the failure exactly.
 */
public final class Faults {
    /** Of the SQL standard, for drivers that tell no code: no such table, no such column. */
    private static final Set<String> MISCONFIGURED_STATES = Set.of("42S02", "42S22");

    /** A timeout of the driver's own. */
    private static final Set<String> UNREACHABLE_STATES = Set.of("HYT00", "HYT01");

    /** MySQL and MariaDB: a query was interrupted. */
    private static final String INTERRUPTED_STATE = "70100";

    /** What can be done about a failure. */
    public enum Kind {
        /** The transaction was undone by the database and may succeed when repeated. */
        RETRY,
        /** Somebody else has inserted the row. */
        DUPLICATE,
        /** The connection or the server failed, so the outcome is unknown. */
        UNREACHABLE,
        /** The server has answered that it does not do this now, so nothing was done; the connection is as it was. */
        DECLINED,
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
        return ofItsDatabase(state, code).or(() -> ofEvery(failure, state)).orElse(Kind.OTHER);
    }

    /** Whose failure it is, is told by its code: each database has a range of its own, and PostgreSQL has none. */
    private static Optional<Kind> ofItsDatabase(String state, int code) {
        Optional<Kind> kind = H2Faults.isCode(code)
                ? H2Faults.kindOf(code)
                : MySqlFaults.isCode(code) ? MySqlFaults.kindOf(code) : Optional.empty();
        return kind.or(() -> PostgresFaults.kindOf(state));
    }

    private static Optional<Kind> ofEvery(SQLException failure, String state) {
        if (state.startsWith("23505")) {
            return Optional.of(Kind.DUPLICATE);
        }
        if (state.startsWith("28")
                || MISCONFIGURED_STATES.contains(state)
                || failure instanceof SQLInvalidAuthorizationSpecException) {
            return Optional.of(Kind.MISCONFIGURED);
        }
        if (state.equals(INTERRUPTED_STATE)) {
            return Optional.of(Kind.DECLINED);
        }
        boolean unreachable = state.startsWith("08")
                || state.startsWith("53")
                || UNREACHABLE_STATES.contains(state)
                || failure instanceof SQLNonTransientConnectionException
                || failure instanceof SQLTransientConnectionException
                || failure instanceof SQLRecoverableException
                || failure instanceof SQLTimeoutException;
        return unreachable ? Optional.of(Kind.UNREACHABLE) : Optional.empty();
    }

    /**
     * Tells whether a row is locked by somebody else, which is an answer and no failure.
     *
     * @param failure what the driver threw at a statement that does not want to wait
     * @return true if so; a deadlock, for instance, is something else
     */
    public static boolean isTaken(SQLException failure) {
        int code = failure.getErrorCode();
        return PostgresFaults.isTaken(stateOf(failure)) || MySqlFaults.isTaken(code) || H2Faults.isTaken(code);
    }

    /**
     * Tells whether the server has refused a connection because there are as many as it, or the user, may have.
     *
     * @param failure what the driver threw
     * @return true if so; then another connection that is closed makes room
     */
    static boolean isOutOfConnections(SQLException failure) {
        return PostgresFaults.isOutOfConnections(stateOf(failure))
                || MySqlFaults.isOutOfConnections(failure.getErrorCode());
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
            case UNREACHABLE, RETRY, DECLINED -> new StoreUnavailableException(operation, lockName, cause(failure));
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
