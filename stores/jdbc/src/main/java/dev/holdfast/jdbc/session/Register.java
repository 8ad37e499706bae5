package dev.holdfast.jdbc.session;

import dev.holdfast.LockKind;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.spi.Claim;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The tables of epochs and holders. Epochs are drawn here in transactions of their own, so that they survive whatever
 * becomes of the session that holds the lock. Thread-safe.
 */
public final class Register {
    /** How many are deleted by one statement. */
    private static final int MOST_TOGETHER = 100;

    private final Database database;
    private final Dialect dialect;
    private final RegisterSql sql;
    private final Floor floor;
    private final IdleNames idleNames;
    private final SessionEnd sessionEnd;

    /**
     * Makes it.
     *
     * @param database where the tables are
     * @param epochs where epochs begin
     * @param prefix what the names of the tables begin with
     * @param free a condition that tells of {@code s.name} that nobody holds it in a way that the tables do not know
     */
    public Register(Database database, Epochs epochs, String prefix, String free) {
        this.database = database;
        this.dialect = epochs.dialect();
        this.sql = new RegisterSql(epochs, prefix);
        this.floor = new Floor(epochs, prefix);
        this.idleNames = new IdleNames(database, dialect, sql, floor, free);
        this.sessionEnd = new SessionEnd(sql);
    }

    /** A name turned out to be in use as something else, so nothing of the transaction may stay. */
    private static final class MismatchException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MismatchException(String detail) {
            super(detail);
        }
    }

    /** Draws the next epoch of each name of a claim whose lock is held, and notes who holds it, in one transaction. */
    Attempt draw(Claim claim, long backend) {
        try {
            return new Attempt.Taken(database.transact(dialect, "acquire", claim.describe(), connection -> {
                List<Long> epochs = new ArrayList<>();
                for (Claim.Part part : claim.parts()) {
                    epochs.add(draw(connection, claim, part, backend));
                }
                return epochs;
            }));
        } catch (MismatchException other) {
            return new Attempt.Mismatched(String.valueOf(other.getMessage()));
        }
    }

    /** The row of the epoch stays locked until the commit, so that of two kinds of claims one sees the other. */
    private long draw(Connection connection, Claim claim, Claim.Part part, long backend) throws SQLException {
        raiseEpoch(connection, part.name());
        long epoch = epochOf(connection, part.name());
        if (part.exclusive()) {
            // Whoever is still on the roll has lost its session.
            update(connection, sql.deleteHolders(), part.name());
        } else {
            mismatch(connection, part).ifPresent(detail -> {
                throw new MismatchException(detail);
            });
            try (PreparedStatement statement = connection.prepareStatement(sql.deleteDeadHolders())) {
                dialect.bindName(statement, 1, part.name());
                statement.setString(2, claim.owner().toString());
                statement.executeUpdate();
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.insertHolder())) {
            dialect.bindName(statement, 1, part.name());
            statement.setString(2, claim.owner().toString());
            statement.setInt(3, part.kind().ordinal());
            statement.setInt(4, part.capacity());
            statement.setInt(5, part.units());
            statement.setLong(6, epoch);
            statement.setLong(7, backend);
            statement.setString(8, claim.holder().clientName());
            statement.setString(9, claim.holder().label());
            statement.executeUpdate();
        }
        return epoch;
    }

    private void raiseEpoch(Connection connection, String name) throws SQLException {
        long lowest = floor.toBind(connection) + 1;
        try (PreparedStatement statement = connection.prepareStatement(sql.raiseEpoch())) {
            dialect.bindName(statement, 1, name);
            if (dialect.isMySqlFamily()) {
                statement.setLong(2, lowest);
            }
            statement.executeUpdate();
        }
    }

    private long epochOf(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.readEpoch())) {
            dialect.bindName(statement, 1, name);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the epoch that was drawn is gone", "40001");
                }
                return row.getLong(1);
            }
        }
    }

    /** Tells what is wrong with a claim if somebody uses one of its names as something else. */
    Optional<String> mismatch(Claim claim) {
        return database.runSeveral("acquire", claim.describe(), connection -> {
            for (Claim.Part part : claim.parts()) {
                Optional<String> found = mismatch(connection, part);
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        });
    }

    private Optional<String> mismatch(Connection connection, Claim.Part part) throws SQLException {
        return entries(connection, sql.readOne(), part.name()).stream()
                .flatMap(entry -> entry.holders().stream())
                .filter(holder -> holder.kind() != part.kind() || holder.capacity() != part.capacity())
                .findFirst()
                .map(holder -> "'" + part.name() + "' is in use as " + holder.kind() + " of capacity "
                        + holder.capacity() + ", but was asked for as " + part.kind() + " of capacity "
                        + part.capacity() + "; use one kind and capacity for a name, or another name");
    }

    /** Takes claims from the roll, together. */
    void clear(List<Claim> claims) {
        List<Claim.Part> parts = new ArrayList<>();
        List<String> owners = new ArrayList<>();
        for (Claim claim : claims) {
            parts.addAll(claim.parts());
            owners.addAll(
                    Collections.nCopies(claim.parts().size(), claim.owner().toString()));
        }
        database.runSeveral("release", claims.get(0).describe(), connection -> {
            for (int from = 0; from < parts.size(); from += MOST_TOGETHER) {
                int end = Math.min(parts.size(), from + MOST_TOGETHER);
                clear(connection, parts.subList(from, end), owners.subList(from, end));
            }
            return true;
        });
    }

    private void clear(Connection connection, List<Claim.Part> parts, List<String> owners) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.deleteHolders(parts.size()))) {
            int index = 1;
            for (Claim.Part part : parts) {
                dialect.bindName(statement, index, part.name());
                index++;
            }
            for (int i = 0; i < parts.size(); i++) {
                dialect.bindName(statement, index, parts.get(i).name());
                statement.setString(index + 1, owners.get(i));
                index += 2;
            }
            statement.executeUpdate();
        }
    }

    /**
     * Ends a session of this client that may live on without its client, because its connection broke in silence: nobody
     * uses it any more, but it would keep its locks.
     *
     * @param session which one; a later one with the same number stays
     */
    public void end(SessionId session) {
        database.runSeveral("release", "a lost session", connection -> sessionEnd.ifAlive(connection, session));
    }

    /**
     * Notes who takes a name away from its holders.
     *
     * @param entry the name, as it was read
     * @param by who
     * @param reason why
     */
    public void noteEviction(Roll entry, String by, String reason) {
        long low = entry.holders().stream().mapToLong(Roll.Holder::epoch).min().orElseThrow();
        long high = entry.holders().stream().mapToLong(Roll.Holder::epoch).max().orElseThrow();
        database.run("evict", entry.name(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql.noteEviction())) {
                statement.setLong(1, low);
                statement.setLong(2, high);
                statement.setString(3, by);
                statement.setString(4, reason);
                dialect.bindName(statement, 5, entry.name());
                return statement.executeUpdate();
            }
        });
    }

    Roll read(String name) {
        return read(sql.readOne(), name);
    }

    List<Roll> list(String begin, int most) {
        return list(sql.readMany(), begin, most);
    }

    /**
     * Reads one name.
     *
     * @param query with the columns of {@link RegisterSql}
     * @param name the name
     * @return what is known of it
     */
    public Roll read(String query, String name) {
        return database.run(
                "inspect",
                name,
                connection -> entries(connection, query, name).stream()
                        .findFirst()
                        .orElse(new Roll(name, 0, null, List.of())));
    }

    /**
     * Reads names.
     *
     * @param query with the columns of {@link RegisterSql}
     * @param begin what they begin with
     * @param most how many names
     * @return those that somebody holds
     */
    public List<Roll> list(String query, String begin, int most) {
        int length = dialect == Dialect.POSTGRESQL
                ? begin.codePointCount(0, begin.length())
                : begin.getBytes(StandardCharsets.UTF_8).length;
        return database.run("list", begin, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                dialect.bindName(statement, 1, begin);
                statement.setInt(2, length);
                dialect.bindName(statement, 3, begin);
                statement.setInt(4, most);
                return entries(statement);
            }
        });
    }

    /** Deletes what is left of names that nobody has used for long, if it is time for that. */
    public void purge() {
        idleNames.run();
    }

    private List<Roll> entries(Connection connection, String query, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            dialect.bindName(statement, 1, name);
            return entries(statement);
        }
    }

    private List<Roll> entries(PreparedStatement statement) throws SQLException {
        Map<String, Roll> found = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                String name = dialect.readName(row, 1);
                Roll.Eviction eviction = row.getLong(3) == 0
                        ? null
                        : new Roll.Eviction(
                                row.getLong(2),
                                row.getLong(3),
                                row.getLong(4),
                                text(row.getString(5)),
                                text(row.getString(6)));
                Roll entry = found.get(name);
                if (entry == null) {
                    entry = new Roll(name, row.getLong(7), eviction, new ArrayList<>());
                    found.put(name, entry);
                }
                long epoch = row.getLong(11);
                if (!row.wasNull()) {
                    entry.holders().add(holder(row, epoch));
                }
            }
        }
        return List.copyOf(found.values());
    }

    private static Roll.Holder holder(ResultSet row, long epoch) throws SQLException {
        int kind = row.getInt(8);
        if (kind < 0 || kind >= LockKind.values().length) {
            throw new StoreMisconfiguredException(
                    "the tables have a lock of a kind that this release does not know; update Holdfast");
        }
        return new Roll.Holder(
                LockKind.values()[kind],
                row.getInt(9),
                row.getInt(10),
                epoch,
                row.getLong(12),
                text(row.getString(13)),
                text(row.getString(14)),
                row.getLong(15));
    }

    private void update(Connection connection, String statementText, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statementText)) {
            dialect.bindName(statement, 1, name);
            statement.executeUpdate();
        }
    }

    /**
     * Asks which session a connection has.
     *
     * @param connection the connection
     * @return the database's number of it
     * @throws SQLException if the database fails
     */
    public long backendOf(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.session());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /**
     * Ends the sessions of those holders that are still on the roll with the same epoch. While the row of the epoch and the
     * roll are locked nobody is granted the name, and a holder that gives it back waits before its session is used again: so
     * neither a successor nor a lock of another name is hit.
     */
    int terminate(Roll noted) {
        return database.transact(dialect, "evict", noted.name(), connection -> {
            query(connection, sql.lockEpoch(), noted.name());
            query(connection, sql.lockHolders(), noted.name());
            int ended = 0;
            for (Roll entry : entries(connection, sql.readOne(), noted.name())) {
                for (Roll.Holder holder : entry.holders()) {
                    if (noted.holders().stream().anyMatch(other -> other.epoch() == holder.epoch())) {
                        sessionEnd.now(connection, holder.backend());
                        ended++;
                    }
                }
            }
            return ended;
        });
    }

    private void query(Connection connection, String statementText, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statementText)) {
            dialect.bindName(statement, 1, name);
            statement.executeQuery().close();
        }
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
