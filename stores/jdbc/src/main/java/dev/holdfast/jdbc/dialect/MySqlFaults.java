package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.dialect.Faults.Kind;
import java.util.Optional;
import java.util.Set;

/** The failures of MySQL and MariaDB, by code: most have no SQL state of their own. Codes have four digits at most. */
final class MySqlFaults {
    private static final int LARGEST_CODE = 9_999;
    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT = 1205;
    private static final int NOWAIT = 3572;

    /** MariaDB: a row was changed since the transaction's snapshot. */
    private static final int RECORD_CHANGED = 1020;

    private static final int DUPLICATE = 1062;

    /** A query was interrupted, or took longer than it may: on MariaDB, on MySQL. */
    private static final Set<Integer> DECLINED = Set.of(1317, 1969, 3024);

    /**
     * Too many connections, shutdown in progress, connection killed, server gone, lost connection, read only; disk full (3,
     * 1021, 1026, 1114), memory or threads exhausted (5, 1037, 1038, 1041, 1135).
     */
    private static final Set<Integer> UNREACHABLE = Set.of(
            3, 5, 1021, 1026, 1037, 1038, 1040, 1041, 1053, 1114, 1129, 1135, 1203, 1226, 1290, 1836, 1927, 2006, 2013,
            4031);

    /** Access to database, user, table, column or privilege denied; unknown database, table, column. */
    private static final Set<Integer> MISCONFIGURED =
            Set.of(1044, 1045, 1049, 1054, 1142, 1143, 1146, 1227, 1370, 1698);

    /** Of the server; of a user, by the server's setting or by the account's. */
    private static final Set<Integer> OUT_OF_CONNECTIONS = Set.of(1040, 1203, 1226);

    private MySqlFaults() {}

    static boolean isCode(int code) {
        return code > 0 && code <= LARGEST_CODE;
    }

    static Optional<Kind> kindOf(int code) {
        if (code == DEADLOCK || code == LOCK_WAIT || code == RECORD_CHANGED) {
            return Optional.of(Kind.RETRY);
        }
        if (code == DUPLICATE) {
            return Optional.of(Kind.DUPLICATE);
        }
        if (MISCONFIGURED.contains(code)) {
            return Optional.of(Kind.MISCONFIGURED);
        }
        if (DECLINED.contains(code)) {
            return Optional.of(Kind.DECLINED);
        }
        return UNREACHABLE.contains(code) ? Optional.of(Kind.UNREACHABLE) : Optional.empty();
    }

    static boolean isOutOfConnections(int code) {
        return OUT_OF_CONNECTIONS.contains(code);
    }

    static boolean isTaken(int code) {
        return code == LOCK_WAIT || code == NOWAIT;
    }
}
