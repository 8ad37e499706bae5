package dev.holdfast.jdbc.dialect;

import dev.holdfast.jdbc.dialect.Faults.Kind;
import java.util.Optional;
import java.util.Set;

/** The failures of H2, by code. Codes have five digits. */
final class H2Faults {
    private static final int SMALLEST_CODE = 10_000;
    private static final int LOCK_TIMEOUT = 50200;
    private static final int CONCURRENT_UPDATE = 90131;
    private static final int DEADLOCK = 40001;
    private static final int DUPLICATE = 23505;

    /** A statement was cancelled or took longer than it may. */
    private static final int CANCELLED = 57014;

    /** The database is closed, is being closed, its file is locked, connection broken. */
    private static final Set<Integer> UNREACHABLE = Set.of(90007, 90020, 90067, 90098, 90121, 90135);

    /** Not enough rights, unknown user or password, no such database, no such table or column. */
    private static final Set<Integer> MISCONFIGURED = Set.of(28000, 90096, 90146, 42102, 42104, 42122, 90040);

    private H2Faults() {}

    static boolean isCode(int code) {
        return code >= SMALLEST_CODE;
    }

    static Optional<Kind> kindOf(int code) {
        if (code == LOCK_TIMEOUT || code == CONCURRENT_UPDATE || code == DEADLOCK) {
            return Optional.of(Kind.RETRY);
        }
        if (code == DUPLICATE) {
            return Optional.of(Kind.DUPLICATE);
        }
        if (MISCONFIGURED.contains(code)) {
            return Optional.of(Kind.MISCONFIGURED);
        }
        if (code == CANCELLED) {
            return Optional.of(Kind.DECLINED);
        }
        return UNREACHABLE.contains(code) ? Optional.of(Kind.UNREACHABLE) : Optional.empty();
    }

    static boolean isTaken(int code) {
        return code == LOCK_TIMEOUT;
    }
}
