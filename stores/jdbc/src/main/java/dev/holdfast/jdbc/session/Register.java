package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The table of epochs and holders. Epochs are drawn here in transactions of their own, so that they survive whatever
 * becomes of the session that holds the lock. All statements of the strategies row and advisory on tables are here.
 */
final class Register {

    private final Database database;
    private final Dialect dialect;
    private final String table;
    private final String prefix;

    Register(Database database, Dialect dialect, String prefix) {
        this.database = database;
        this.dialect = dialect;
        this.prefix = prefix;
        this.table = prefix + "session";
    }

    /** What is read of a row. Whoever's session has ended holds nothing, although it could not say so. */
    private String columns() {
        String alive = switch (dialect) {
            case POSTGRESQL -> "SELECT 1 FROM pg_stat_activity a WHERE a.pid = s.backend";
            case MARIADB, MYSQL -> "SELECT 1 FROM information_schema.processlist a WHERE a.id = s.backend";
            case H2 -> "SELECT 1 FROM information_schema.sessions a WHERE a.session_id = s.backend";
        };
        return "SELECT s.name, s.epoch, CASE WHEN EXISTS (" + alive + ") THEN s.owner END, s.backend, s.client_name,"
                + " s.label, s.since, s.evicted_epoch, s.evicted_at, s.evicted_by, s.evicted_reason, " + dialect.now()
                + " FROM " + table + " s";
    }

    /** Draws the next epoch of a name, durably, and notes who holds it. */
    long draw(Claim claim, String name, long backend) {
        return database.transact(dialect, "acquire", name, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(drawStatement())) {
                dialect.bindName(statement, 1, name);
                statement.setString(2, claim.owner().toString());
                statement.setLong(3, backend);
                statement.setString(4, claim.holder().clientName());
                statement.setString(5, claim.holder().label());
                statement.executeUpdate();
            }
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT epoch FROM " + table + " WHERE name = ? AND owner = ?")) {
                dialect.bindName(statement, 1, name);
                statement.setString(2, claim.owner().toString());
                try (ResultSet row = statement.executeQuery()) {
                    if (!row.next()) {
                        throw new SQLException("the epoch that was drawn is gone", "40001");
                    }
                    return row.getLong(1);
                }
            }
        });
    }

    private String drawStatement() {
        String now = dialect.now();
        String values = " (name, owner, backend, client_name, label, epoch, since) VALUES (?, ?, ?, ?, ?, GREATEST("
                + now + ", COALESCE((SELECT m.floor_epoch + 1 FROM " + prefix + "meta m), 0)), " + now + ")";
        return switch (dialect) {
            case POSTGRESQL ->
                "INSERT INTO " + table + " AS s" + values + " ON CONFLICT (name) DO UPDATE SET"
                        + " owner = EXCLUDED.owner, backend = EXCLUDED.backend, client_name = EXCLUDED.client_name,"
                        + " label = EXCLUDED.label, epoch = GREATEST(s.epoch + 1, EXCLUDED.epoch), since = EXCLUDED.since";
            case MARIADB, MYSQL ->
                "INSERT INTO " + table + values + " ON DUPLICATE KEY UPDATE owner = VALUES(owner),"
                        + " backend = VALUES(backend), client_name = VALUES(client_name), label = VALUES(label),"
                        + " epoch = GREATEST(epoch + 1, VALUES(epoch)), since = VALUES(since)";
            case H2 ->
                "MERGE INTO " + table
                        + " s USING (SELECT CAST(? AS VARBINARY(255)) AS name, CAST(? AS CHAR(32)) AS owner,"
                        + " CAST(? AS BIGINT) AS backend, CAST(? AS VARCHAR(200)) AS client_name,"
                        + " CAST(? AS VARCHAR(200)) AS label, GREATEST(" + now
                        + ", COALESCE((SELECT m.floor_epoch + 1 FROM "
                        + prefix + "meta m), 0)) AS epoch, " + now + " AS since) v ON s.name = v.name"
                        + " WHEN MATCHED THEN UPDATE SET owner = v.owner, backend = v.backend,"
                        + " client_name = v.client_name, label = v.label, epoch = GREATEST(s.epoch + 1, v.epoch),"
                        + " since = v.since WHEN NOT MATCHED THEN INSERT (name, owner, backend, client_name, label, epoch,"
                        + " since) VALUES (v.name, v.owner, v.backend, v.client_name, v.label, v.epoch, v.since)";
        };
    }

    /** Notes that a name was given back. */
    void clear(Claim claim, String name) {
        database.run("release", name, connection -> {
            try (PreparedStatement statement = connection.prepareStatement("UPDATE " + table
                    + " SET owner = NULL, client_name = NULL, label = NULL WHERE name = ? AND owner = ?")) {
                dialect.bindName(statement, 1, name);
                statement.setString(2, claim.owner().toString());
                return statement.executeUpdate();
            }
        });
    }

    /** Notes an eviction; false if the name is held with another epoch by now. */
    boolean evict(Record held, String by, String reason) {
        return database.run("evict", held.name(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement("UPDATE " + table
                    + " SET owner = NULL, evicted_epoch = epoch, evicted_at = " + dialect.now()
                    + ", evicted_by = ?, evicted_reason = ? WHERE name = ? AND epoch = ? AND owner = ?")) {
                statement.setString(1, by);
                statement.setString(2, reason);
                dialect.bindName(statement, 3, held.name());
                statement.setLong(4, held.epoch());
                statement.setString(5, held.owner());
                return statement.executeUpdate() == 1;
            }
        });
    }

    Optional<Record> read(String name) {
        return database.run("inspect", name, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(columns() + " WHERE s.name = ?")) {
                dialect.bindName(statement, 1, name);
                return records(statement).stream().findFirst();
            }
        });
    }

    List<Record> list(String begin) {
        int length = dialect == Dialect.POSTGRESQL
                ? begin.codePointCount(0, begin.length())
                : begin.getBytes(StandardCharsets.UTF_8).length;
        return database.run("list", begin, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    columns()
                            + " WHERE s.name >= ? AND SUBSTRING(s.name FROM 1 FOR ?) = ? AND s.owner IS NOT NULL ORDER BY s.name")) {
                dialect.bindName(statement, 1, begin);
                statement.setInt(2, length);
                dialect.bindName(statement, 3, begin);
                return records(statement);
            }
        });
    }

    private List<Record> records(PreparedStatement statement) throws SQLException {
        List<Record> found = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                found.add(new Record(
                        dialect.readName(row, 1),
                        row.getLong(2),
                        row.getString(3),
                        row.getLong(4),
                        text(row.getString(5)),
                        text(row.getString(6)),
                        row.getLong(7),
                        row.getLong(12),
                        row.getLong(8),
                        row.getLong(9),
                        text(row.getString(10)),
                        text(row.getString(11))));
            }
        }
        return found;
    }

    /** {@return the database's number of a connection's session} */
    long backendOf(Connection connection) throws SQLException {
        String query = switch (dialect) {
            case POSTGRESQL -> "SELECT pg_backend_pid()";
            case MARIADB, MYSQL -> "SELECT CONNECTION_ID()";
            case H2 -> "SELECT SESSION_ID()";
        };
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Ends a session of the database by force; whether it was there does not matter. */
    void terminate(String name, long backend) {
        String query = switch (dialect) {
            case POSTGRESQL -> "SELECT pg_terminate_backend(" + backend + ")";
            case MARIADB, MYSQL -> "KILL CONNECTION " + backend;
            case H2 -> "CALL ABORT_SESSION(" + backend + ")";
        };
        database.run("evict", name, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                return statement.execute();
            } catch (SQLException gone) {
                if (gone.getErrorCode() == NO_SUCH_THREAD) {
                    return false;
                }
                throw gone;
            }
        });
    }

    /** MySQL and MariaDB: there is no such connection any more. */
    private static final int NO_SUCH_THREAD = 1094;

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
