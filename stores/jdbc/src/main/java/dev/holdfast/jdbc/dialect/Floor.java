package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The floor of epochs, which lets rows of idle names be deleted: a name without a row continues above it. A statement
 * under way may have read an older floor, therefore a floor is raised at one turn and relied upon at the next, which is
 * later than any statement may last. Whoever changes the row has the turn.
 *
 * <p>On MySQL and MariaDB a statement that writes and reads the floor would lock its row: one acquire that waits, and
 * somebody who wants to raise the floor, would keep everybody from every name. There it is read by itself, and now and
 * then, because a floor is relied upon ten minutes after it was raised and not before. Thread-safe.
 */
public final class Floor {
    /** How long a turn is apart from the next, whoever takes it. */
    public static final Duration TURN = Duration.ofMinutes(10);

    private static final long LONGEST_KNOWN_NANOS = Duration.ofMinutes(1).toNanos();

    private final Dialect dialect;
    private final String query;
    private final String takeTurn;
    private final String followClock;
    private final String raise;
    private volatile Known known = new Known(0, System.nanoTime() - LONGEST_KNOWN_NANOS);

    private record Known(long epoch, long sinceNanos) {}

    /**
     * Makes it.
     *
     * @param epochs where epochs begin
     * @param prefix what the names of the tables begin with
     */
    public Floor(Epochs epochs, String prefix) {
        this.dialect = epochs.dialect();
        this.query = epochs.fill("SELECT floor_epoch FROM ${p}meta WHERE id = 1", prefix);
        this.takeTurn =
                epochs.fill("UPDATE ${p}meta SET purged_at = ${now} WHERE id = 1 AND purged_at <= ${now} - ?", prefix);
        this.followClock =
                epochs.fill("UPDATE ${p}meta SET purged_at = ${now} WHERE id = 1 AND purged_at > ${now}", prefix);
        this.raise = epochs.fill(
                "UPDATE ${p}meta SET floor_epoch = ${start} - ? WHERE id = 1 AND floor_epoch < ${start} - ?", prefix);
    }

    /** {@return whether {@link #toBind} asks the database for nothing now} */
    public boolean isKnown() {
        return !dialect.isMySqlFamily() || System.nanoTime() - known.sinceNanos < LONGEST_KNOWN_NANOS;
    }

    /**
     * Tells what a statement that makes a row has to be given, where it cannot read the floor itself.
     *
     * @param connection a connection
     * @return the floor as it was a minute ago at most; 0 where statements read it themselves
     * @throws SQLException if the database fails
     */
    public long toBind(Connection connection) throws SQLException {
        if (!dialect.isMySqlFamily()) {
            return 0;
        }
        Known last = known;
        long now = System.nanoTime();
        if (now - last.sinceNanos < LONGEST_KNOWN_NANOS) {
            return last.epoch;
        }
        long epoch = read(connection);
        known = new Known(epoch, now);
        return epoch;
    }

    /**
     * Reads the floor.
     *
     * @param connection a connection
     * @return the floor of right now
     * @throws SQLException if the database fails
     */
    public long read(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /**
     * Takes the turn to purge. If the clock was set back behind the last turn, nobody knows how long that one is ago: the
     * floor may have been raised a moment ago. So there is none now, and the time to the next one begins anew.
     *
     * @param connection a connection in autocommit
     * @param turnMicros how long ago the last turn must be
     * @return false if it is not time yet, or somebody else has it
     * @throws SQLException if the database fails
     */
    public boolean takeTurn(Connection connection, long turnMicros) throws SQLException {
        boolean mine = update(connection, takeTurn, turnMicros) == 1;
        if (!mine) {
            update(connection, followClock);
        }
        return mine;
    }

    /**
     * Raises the floor: raised now, relied upon by the next turn only.
     *
     * @param connection a connection in autocommit
     * @param idleMicros how far below the epochs of right now it is
     * @return whether it was lower
     * @throws SQLException if the database fails
     */
    public boolean raise(Connection connection, long idleMicros) throws SQLException {
        return update(connection, raise, idleMicros, idleMicros) == 1;
    }

    private static int update(Connection connection, String text, long... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.length; i++) {
                statement.setLong(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
