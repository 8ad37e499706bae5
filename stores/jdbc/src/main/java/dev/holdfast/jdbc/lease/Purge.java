package dev.holdfast.jdbc.lease;

import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Floor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Deletes the rows of names that nobody has used for long. No token may repeat because of it, see {@link Floor}. */
final class Purge {
    private static final long IDLE_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final long EVICTION_MICROS = Duration.ofHours(24).toNanos() / 1_000;
    private static final long LEFTOVER_MICROS = Duration.ofMinutes(1).toNanos() / 1_000;

    private final LeaseStore store;
    private final Database database;
    private final LeaseSql sql;
    private final Floor floor;
    private final long turnMicros;
    private final long idleMicros;

    Purge(LeaseStore store, Database database, LeaseSql sql, Floor floor) {
        this(store, database, sql, floor, Floor.TURN.toNanos() / 1_000, IDLE_MICROS);
    }

    Purge(LeaseStore store, Database database, LeaseSql sql, Floor floor, long turnMicros, long idleMicros) {
        this.store = store;
        this.database = database;
        this.sql = sql;
        this.floor = floor;
        this.turnMicros = turnMicros;
        this.idleMicros = idleMicros;
    }

    /** Takes a turn, if it is time for one and nobody else has taken it. */
    boolean run() {
        boolean mine = database.run("purge", "idle locks", connection -> floor.takeTurn(connection, turnMicros));
        if (mine) {
            // At READ COMMITTED: at a stricter level MySQL and MariaDB would keep every row that was looked at locked.
            database.transact(
                    sql.dialect(),
                    "purge",
                    "idle locks",
                    connection -> update(connection, sql.purgeRows(), floor.read(connection), EVICTION_MICROS));
            database.run("purge", "idle locks", connection -> floor.raise(connection, idleMicros));
            for (String name : leftovers()) {
                store.inTransaction("purge", name, Set.of(name), false, lines -> {
                    lines.refresh();
                    return true;
                });
            }
        }
        return mine;
    }

    private List<String> leftovers() {
        return database.run("purge", "idle locks", connection -> {
            List<String> names = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql.expiredEntries())) {
                statement.setLong(1, LEFTOVER_MICROS);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        names.add(sql.dialect().readName(row, 1));
                    }
                }
            }
            return names;
        });
    }

    private static int update(Connection connection, String query, long... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++) {
                statement.setLong(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }
}
