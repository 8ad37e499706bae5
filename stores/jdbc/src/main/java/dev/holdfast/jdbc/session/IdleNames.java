package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.jdbc.dialect.Work;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes what is left of names that nobody has used for long: the row with the epoch, and the rows that the strategy
 * "row" locks.
 *
 * <p><b>Tokens</b> do not repeat: a row is deleted only if the floor has reached its epoch, see {@link Floor}. A draw at
 * the same moment has either raised the epoch above the floor, and the row stays; or it comes later, finds no row, and
 * begins above the floor.
 *
 * <p><b>Locks</b> do not get lost: a row is deleted by a transaction that has locked it as a holder would, without
 * waiting. So nobody holds it then; and whoever comes later finds no row, and makes a new one before it locks anything.
 *
 * <p><b>Advisory locks of PostgreSQL</b> leave no epochs here; their row says only that there is such a name, and clients
 * write it now and then. There a name is marked with epoch 0 at one turn and deleted at the next, unless somebody has used
 * it in between.
 *
 * <p>Immutable.
 */
final class IdleNames {
    private static final long IDLE_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final long EVICTION_MICROS = Duration.ofHours(24).toNanos() / 1_000;
    private static final long MARK = 0;

    /** How many names one transaction deletes. */
    static final int MOST_TOGETHER = 50;

    private final Database database;
    private final Dialect dialect;
    private final RegisterSql sql;
    private final Floor floor;
    private final String free;
    private final long turnMicros;
    private final long idleMicros;

    IdleNames(Database database, Dialect dialect, RegisterSql sql, Floor floor, String free) {
        this(database, dialect, sql, floor, free, Floor.TURN.toNanos() / 1_000, IDLE_MICROS);
    }

    IdleNames(
            Database database,
            Dialect dialect,
            RegisterSql sql,
            Floor floor,
            String free,
            long turnMicros,
            long idleMicros) {
        this.database = database;
        this.dialect = dialect;
        this.sql = sql;
        this.floor = floor;
        this.free = free;
        this.turnMicros = turnMicros;
        this.idleMicros = idleMicros;
    }

    /** Somebody has locked one of the rows, so the transaction is over. */
    private static final class TakenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TakenException() {
            super(null, null, false, false);
        }
    }

    /** Takes a turn, if it is time for one and nobody else has taken it. */
    boolean run() {
        boolean mine = run(connection -> floor.takeTurn(connection, turnMicros));
        if (mine) {
            long reached = run(floor::read);
            run(connection -> bind(connection, sql.deleteForgottenHolders(), List.of(idleMicros), List.of()));
            boolean marks = dialect == Dialect.POSTGRESQL;
            long deletable = marks ? MARK : reached;
            forAllIdle(deletable, names -> delete(names, deletable));
            if (marks) {
                forAllIdle(reached, names -> mark(names, reached));
            }
            run(connection -> floor.raise(connection, idleMicros));
        }
        return mine;
    }

    /** The names come in order, so that those that stay are not seen again. */
    private void forAllIdle(long epoch, Step step) {
        List<String> names = idle("", epoch);
        while (!names.isEmpty()) {
            step.on(names);
            names = names.size() < MOST_TOGETHER ? List.of() : idle(names.get(names.size() - 1), epoch);
        }
    }

    private List<String> idle(String behind, long epoch) {
        return run(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql.idleNames(free, MOST_TOGETHER))) {
                dialect.bindName(statement, 1, behind);
                statement.setLong(2, epoch);
                statement.setLong(3, EVICTION_MICROS);
                return names(statement);
            }
        });
    }

    private void mark(List<String> names, long reached) {
        run(connection -> bind(connection, sql.markIdle(names.size()), List.of(reached), names));
    }

    /** All together; if one of them is taken, each for itself. */
    void delete(List<String> names, long epoch) {
        if (!deleteTogether(names, epoch) && names.size() > 1) {
            names.forEach(name -> deleteTogether(List.of(name), epoch));
        }
    }

    private boolean deleteTogether(List<String> names, long epoch) {
        try {
            return database.transact(dialect, "purge", "idle locks", connection -> {
                List<String> locked = lock(connection, names);
                bind(connection, sql.deleteIdle(names.size()), List.of(epoch), names);
                if (!locked.isEmpty()) {
                    bind(connection, sql.deleteRows(locked.size()), List.of(), locked);
                }
                return true;
            });
        } catch (TakenException heldAfterAll) {
            return false;
        }
    }

    /** Only rows that are locked are deleted: to delete one that somebody holds would mean to wait for it. */
    private List<String> lock(Connection connection, List<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.lockRows(names.size()))) {
            for (int i = 0; i < names.size(); i++) {
                dialect.bindName(statement, i + 1, names.get(i));
            }
            return names(statement);
        } catch (SQLException refused) {
            if (Faults.isTaken(refused)) {
                throw new TakenException();
            }
            throw refused;
        }
    }

    private List<String> names(PreparedStatement statement) throws SQLException {
        List<String> names = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                names.add(dialect.readName(row, 1));
            }
        }
        return names;
    }

    private int bind(Connection connection, String text, List<Long> numbers, List<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            int index = 1;
            for (long number : numbers) {
                statement.setLong(index, number);
                index++;
            }
            for (String name : names) {
                dialect.bindName(statement, index, name);
                index++;
            }
            return statement.executeUpdate();
        }
    }

    private <R> R run(Work<R> work) {
        return database.run("purge", "idle locks", work);
    }

    /** Something to do with some names. */
    private interface Step {
        void on(List<String> names);
    }
}
