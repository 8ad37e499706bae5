package dev.holdfast.jdbc.dialect;

import dev.holdfast.StoreMisconfiguredException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses servers that are too old for what the statements say. Without that, the first statement that an old server
 * does not know would fail with a syntax error, which may be long after the start.
 */
public final class Versions {
    private static final Pattern NUMBERS = Pattern.compile("(\\d+)(?:\\.(\\d+))?(?:\\.(\\d+))?.*", Pattern.DOTALL);

    /** What old drivers of MySQL are told by MariaDB, so that they go on; the version follows it. */
    private static final String MARIADB_MASK = "5.5.5-";

    /** The oldest version that will do, and why. */
    private record Need(int major, int minor, int patch, String reason) {
        boolean isMetBy(Matcher found) {
            int[] least = {major, minor, patch};
            for (int i = 0; i < least.length; i++) {
                String digits = found.group(i + 1);
                if (digits == null) {
                    // Who does not tell more is believed: PostgreSQL has no third number, and some services hide it.
                    return true;
                }
                int number = digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
                if (number != least[i]) {
                    return number > least[i];
                }
            }
            return true;
        }

        @Override
        public String toString() {
            return major + (patch > 0 ? "." + minor + "." + patch : minor > 0 ? "." + minor : "");
        }
    }

    private Versions() {}

    /**
     * Refuses a server that is too old.
     *
     * @param dialect the dialect
     * @param connection a connection to it
     * @throws SQLException if the driver does not tell the version
     * @throws StoreMisconfiguredException if it is too old
     */
    public static void refuseOld(Dialect dialect, Connection connection) throws SQLException {
        Optional<String> reason =
                reasonAgainst(dialect, connection.getMetaData().getDatabaseProductVersion());
        if (reason.isPresent()) {
            throw new StoreMisconfiguredException(
                    "the database is " + reason.get() + "; update the database, or use another one");
        }
    }

    /** What is wrong with a server that says that it has this version; nothing, if it says nothing that can be read. */
    static Optional<String> reasonAgainst(Dialect dialect, String version) {
        boolean masked = dialect == Dialect.MARIADB && version.startsWith(MARIADB_MASK);
        String own = masked ? version.substring(MARIADB_MASK.length()) : version;
        Need need = needOf(dialect);
        Matcher found = NUMBERS.matcher(own);
        return !found.matches() || need.isMetBy(found)
                ? Optional.empty()
                : Optional.of(
                        nameOf(dialect) + " " + own + ", but Holdfast needs " + need + " or later, for " + need.reason);
    }

    private static Need needOf(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL -> new Need(12, 0, 0, "WITH … AS MATERIALIZED");
            case MARIADB -> new Need(10, 6, 0, "SKIP LOCKED");
            case MYSQL -> new Need(8, 0, 1, "NOWAIT and SKIP LOCKED");
            case H2 -> new Need(2, 2, 220, "NOWAIT");
        };
    }

    private static String nameOf(Dialect dialect) {
        return switch (dialect) {
            case POSTGRESQL -> "PostgreSQL";
            case MARIADB -> "MariaDB";
            case MYSQL -> "MySQL";
            case H2 -> "H2";
        };
    }
}
