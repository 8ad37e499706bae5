package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.dialect.Faults.Kind;
import java.util.Optional;
import java.util.Set;

/** The failures of PostgreSQL, by SQL state; it has no codes. H2 has most of its states from the same standard. */
final class PostgresFaults {
    /** Serialization failure, deadlock, lock not available. */
    private static final Set<String> RETRY = Set.of("40001", "40P01", "55P03");

    /**
     * Read only, object in the wrong state, shutdown, crash, starting, idle for too long, in a transaction or not, and the
     * transaction took too long.
     */
    private static final Set<String> UNREACHABLE =
            Set.of("25006", "55000", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04");

    /** A statement was cancelled or took longer than it may; a limit is reached, such as the queue of notifications. */
    private static final Set<String> DECLINED = Set.of("57014", "54000");

    /** No such table, column, database, schema or function; no permission; not supported; a value that is not allowed. */
    private static final Set<String> MISCONFIGURED =
            Set.of("42P01", "42703", "42501", "3D000", "3F000", "42883", "0A000", "22023");

    private PostgresFaults() {}

    static Optional<Kind> kindOf(String state) {
        if (RETRY.contains(state)) {
            return Optional.of(Kind.RETRY);
        }
        if (MISCONFIGURED.contains(state)) {
            return Optional.of(Kind.MISCONFIGURED);
        }
        if (DECLINED.contains(state)) {
            return Optional.of(Kind.DECLINED);
        }
        return UNREACHABLE.contains(state) ? Optional.of(Kind.UNREACHABLE) : Optional.empty();
    }

    /** Of the server, the database or the user. */
    static boolean isOutOfConnections(String state) {
        return state.equals("53300");
    }

    static boolean isTaken(String state) {
        return state.equals("55P03");
    }
}
