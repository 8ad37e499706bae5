package dev.holdfast.jdbc.advisory;

import dev.holdfast.jdbc.session.BareLock;
import dev.holdfast.spi.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code GET_LOCK} of MySQL and MariaDB. A session may hold a word repeatedly, so two names of a claim that have the same
 * word lock it twice and give it back twice.
 *
 * @param place of the tables; keeps databases and applications in one server apart
 */
public record NamedLock(String place) implements BareLock {
    @Override
    public void prepare(Connection connection, List<Claim.Part> parts) {}

    @Override
    public boolean shares() {
        return false;
    }

    @Override
    public boolean keepsTransaction() {
        return false;
    }

    @Override
    public boolean tryLock(Connection connection, List<Claim.Part> parts, SessionListener listener)
            throws SQLException {
        List<Claim.Part> locked = new ArrayList<>();
        for (Claim.Part part : parts) {
            if (!ask(connection, "SELECT GET_LOCK(?, 0)", part.name())) {
                unlock(connection, locked);
                return false;
            }
            locked.add(part);
        }
        return true;
    }

    @Override
    public boolean unlock(Connection connection, List<Claim.Part> parts) throws SQLException {
        boolean held = true;
        for (Claim.Part part : parts) {
            held &= ask(connection, "SELECT RELEASE_LOCK(?)", part.name());
        }
        return held;
    }

    /** The answer is null where the server cannot tell, for instance because the statement was ended by force. */
    private boolean ask(Connection connection, String query, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, AdvisoryKey.wordOf(place, name));
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                int answer = row.getInt(1);
                if (row.wasNull() && query.contains("GET_LOCK")) {
                    throw new SQLException("the server could not tell whether the lock is free", "08000");
                }
                return answer == 1;
            }
        }
    }
}
