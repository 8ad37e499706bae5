package dev.holdfast.jdbc.lease;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** The uncontended steps: one statement to take a whole name, one to give it back. Thread-safe. */
final class AtOnce {
    private final LeaseSql sql;
    private final Floor floor;
    private final String client;

    /** Names that had a row when this client took them, which it has most likely still. */
    private final NameSet seen = new NameSet();

    AtOnce(LeaseSql sql, Floor floor, String client) {
        this.sql = sql;
        this.floor = floor;
        this.client = client;
    }

    /** Whether the row of a name is most likely there, so that {@link #takeOver} is enough. */
    boolean hasSeen(String name) {
        return seen.contains(name);
    }

    /**
     * Takes over a row that is there; one statement. A row that was purged meanwhile is made again by the transaction that
     * follows a refusal.
     */
    Optional<Grant> takeOver(Connection connection, Claim claim) throws SQLException {
        Claim.Part part = claim.parts().get(0);
        if (sql.dialect().isMySqlFamily()) {
            return takeOverWithKey(connection, claim, part);
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.takeOver())) {
            bindTakeOver(statement, claim, part);
            try (ResultSet row = statement.executeQuery()) {
                return grantOf(row, claim);
            }
        }
    }

    /**
     * An update answers with no rows there, but with a count and a number. The count is 1 only if this statement has taken
     * the row: it matches no row but a free one, of which it changes the epoch in any case, so "matched" and "changed" are
     * the same. The number is that epoch, and is told for this statement only. What is left is the whole lease.
     */
    private Optional<Grant> takeOverWithKey(Connection connection, Claim claim, Claim.Part part) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(sql.takeOver(), Statement.RETURN_GENERATED_KEYS)) {
            bindTakeOver(statement, claim, part);
            if (statement.executeUpdate() == 0) {
                return Optional.empty();
            }
            try (ResultSet key = statement.getGeneratedKeys()) {
                if (key.next() && key.getLong(1) > 0) {
                    return Optional.of(Grants.of(claim, part.name(), key.getLong(1), Entry.micros(claim), false));
                }
            }
        }
        // A driver or a proxy does not pass the number on.
        return readBack(connection, claim, part);
    }

    /** Whether {@link #take} is one statement now. On MySQL it never is, and elsewhere the floor may have to be read. */
    boolean takesOneStatement() {
        return sql.dialect() != Dialect.MYSQL && floor.isKnown();
    }

    /** Makes the row or takes it over. */
    Optional<Grant> take(Connection connection, Claim claim) throws SQLException {
        Claim.Part part = claim.parts().get(0);
        boolean boundFloor = sql.dialect().isMySqlFamily();
        long lowest = floor.toBind(connection) + 1;
        Optional<Grant> grant;
        try (PreparedStatement statement = connection.prepareStatement(sql.acquire())) {
            sql.dialect().bindName(statement, 1, part.name());
            int last = bindHolder(statement, 2, claim, part) - 1;
            if (boundFloor) {
                statement.setLong(last, lowest);
                statement.setLong(last + 1, Entry.micros(claim));
            }
            if (sql.dialect() == Dialect.MYSQL) {
                statement.executeUpdate();
                grant = readBack(connection, claim, part);
            } else {
                try (ResultSet row = statement.executeQuery()) {
                    grant = grantOf(row, claim);
                }
            }
        }
        // H2 has no statement that only takes over.
        if (grant.isPresent() && sql.dialect() != Dialect.H2) {
            seen.add(part.name());
        }
        return grant;
    }

    private Optional<Grant> readBack(Connection connection, Claim claim, Claim.Part part) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.readBack())) {
            sql.dialect().bindName(statement, 1, part.name());
            statement.setString(2, claim.owner().toString());
            try (ResultSet row = statement.executeQuery()) {
                return grantOf(row, claim);
            }
        }
    }

    boolean release(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.release())) {
            sql.dialect().bindName(statement, 1, grant.name());
            statement.setString(2, grant.owner().toString());
            statement.setLong(3, grant.epoch());
            return statement.executeUpdate() == 1;
        }
    }

    /** Binds {@link LeaseSql#takeOver}; the index of the next parameter is answered. */
    int bindTakeOver(PreparedStatement statement, Claim claim, Claim.Part part) throws SQLException {
        int name = bindHolder(statement, 1, claim, part);
        sql.dialect().bindName(statement, name, part.name());
        return name + 1;
    }

    private int bindHolder(PreparedStatement statement, int first, Claim claim, Claim.Part part) throws SQLException {
        long lease = Entry.micros(claim);
        statement.setInt(first, part.kind().ordinal());
        statement.setInt(first + 1, part.capacity());
        statement.setString(first + 2, claim.owner().toString());
        statement.setString(first + 3, client);
        statement.setString(first + 4, claim.holder().clientName());
        statement.setString(first + 5, claim.holder().label());
        statement.setLong(first + 6, lease);
        statement.setLong(first + 7, lease);
        return first + 8;
    }

    /**
     * A grant is proved by its owner alone: on MariaDB the row of somebody else is answered too. On a crowded row it may be
     * one of an earlier request, whose reply was lost; whether somebody waits is then found out in a transaction.
     */
    static Optional<Grant> grantOf(ResultSet row, Claim claim) throws SQLException {
        boolean mine = row.next()
                && claim.owner().toString().equals(row.getString(1))
                && row.getLong(3) > 0
                && row.getInt(4) == 0;
        return mine
                ? Optional.of(Grants.of(claim, claim.parts().get(0).name(), row.getLong(2), row.getLong(3), false))
                : Optional.empty();
    }
}
