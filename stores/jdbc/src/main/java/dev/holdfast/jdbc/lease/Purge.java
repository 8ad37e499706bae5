package dev.holdfast.jdbc.lease;

import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Floor;
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

    /** How many names one transaction deletes, or one look finds. */
    private static final int MOST_TOGETHER = 100;

    private static final int MOST_STEPS = 10_000;

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
            long reached = database.run("purge", "idle locks", floor::read);
            forAll(behind -> deleteIdle(behind, reached));
            database.run("purge", "idle locks", connection -> floor.raise(connection, idleMicros));
            forAll(this::sweep);
        }
        return mine;
    }

    /** The names come in order, so that those that stay are not seen again. A turn is bounded; the next one goes on. */
    private static void forAll(Step step) {
        String behind = "";
        for (int i = 0; i < MOST_STEPS; i++) {
            List<String> names = step.behind(behind);
            if (names.size() < MOST_TOGETHER) {
                return;
            }
            behind = names.get(names.size() - 1);
        }
    }

    /**
     * Few at a time: one statement for all of them might not fit a command timeout, and there would be more of them at the
     * next turn. At READ COMMITTED: at a stricter level MySQL and MariaDB would keep every row locked that was looked at.
     */
    private List<String> deleteIdle(String behind, long reached) {
        return database.transact(sql.dialect(), "purge", "idle locks", connection -> {
            List<String> names = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql.lockIdleRows(MOST_TOGETHER))) {
                sql.dialect().bindName(statement, 1, behind);
                statement.setLong(2, reached);
                statement.setLong(3, EVICTION_MICROS);
                read(statement, names);
            }
            if (!names.isEmpty()) {
                try (PreparedStatement statement = connection.prepareStatement(sql.deleteRows(names.size()))) {
                    for (int i = 0; i < names.size(); i++) {
                        sql.dialect().bindName(statement, i + 1, names.get(i));
                    }
                    statement.executeUpdate();
                }
            }
            return names;
        });
    }

    /** Drops what has expired in the lines of names, each in a transaction of its own. */
    private List<String> sweep(String behind) {
        List<String> names = database.run("purge", "idle locks", connection -> {
            List<String> found = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql.expiredEntries(MOST_TOGETHER))) {
                sql.dialect().bindName(statement, 1, behind);
                statement.setLong(2, LEFTOVER_MICROS);
                read(statement, found);
            }
            return found;
        });
        for (String name : names) {
            store.inTransaction("purge", name, Set.of(name), false, lines -> {
                lines.refresh();
                return true;
            });
        }
        return names;
    }

    private void read(PreparedStatement statement, List<String> names) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                names.add(sql.dialect().readName(row, 1));
            }
        }
    }

    /** Does something with the next names behind one, and tells which those were. */
    private interface Step {
        List<String> behind(String name);
    }
}
