package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;

/**
 * Where new epochs begin: at the database's time, and an hour more for every generation of servers. Two servers that serve
 * one name for a moment, because a standby was promoted, then never give the same epoch, and those of the new one are
 * larger, whatever commits it lacks.
 *
 * <p>PostgreSQL counts its promotions: a promoted standby begins a new timeline. Each statement reads it anew, because a
 * connection can outlive a promotion. The others do not count; there the operator may set a generation. Immutable.
 *
 * @param dialect the dialect
 * @param countsTimelines whether the server tells its timeline
 * @param generation what the operator has set
 */
public record Epochs(Dialect dialect, boolean countsTimelines, int generation) {
    /** The largest generation, so that epochs stay below 2^51 for decades. */
    public static final int MOST_GENERATIONS = 100_000;

    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    /**
     * The first eight digits of a file's name in the log are the timeline of right now; control data lags behind. A
     * standby has none, and refuses everything that would need it.
     */
    private static final String TIMELINE = "CASE WHEN pg_is_in_recovery() THEN 0 ELSE"
            + " CAST(CAST('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS bit(32)) AS bigint) END";

    /** The server does not have or does not allow the functions, as some services with storage of their own. */
    private static final Set<String> UNTOLD = Set.of("0A000", "42501", "42883");

    /**
     * Asks a server what it can tell.
     *
     * @param dialect the dialect
     * @param connection a connection in autocommit
     * @param generation what the operator has set
     * @return what epochs are made of
     * @throws SQLException if the server does not answer
     */
    public static Epochs of(Dialect dialect, Connection connection, int generation) throws SQLException {
        return new Epochs(dialect, dialect == Dialect.POSTGRESQL && tellsTimeline(connection), generation);
    }

    private static boolean tellsTimeline(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT " + TIMELINE).close();
            return true;
        } catch (SQLException failure) {
            if (UNTOLD.contains(String.valueOf(failure.getSQLState()))) {
                return false;
            }
            throw failure;
        }
    }

    /** {@return an expression for how far epochs are ahead of the database's time} */
    public String ahead() {
        long set = generation * HOUR_MICROS;
        return countsTimelines ? "(" + TIMELINE + " * " + HOUR_MICROS + " + " + set + ")" : Long.toString(set);
    }

    /**
     * Fills in a statement.
     *
     * @param template with <code>${now}</code>, <code>${ahead}</code>, <code>${start}</code> (what a new epoch is at least)
     *     and <code>${p}</code>
     * @param prefix what tables begin with
     * @return the statement
     */
    public String fill(String template, String prefix) {
        return template.replace("${start}", "(${now} + ${ahead})")
                .replace("${now}", dialect.now())
                .replace("${ahead}", ahead())
                .replace("${p}", prefix);
    }
}
