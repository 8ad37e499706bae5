package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A table for the largest token seen of each lock, for fences whose data has no row to put it in. It must be in the same
 * database as the data. Rows are small and must not be deleted while an old holder may still write.
 *
 * @param name of the table, perhaps with its schema
 */
public record FenceTable(String name) {
    /** The usual name. */
    public static final String DEFAULT_NAME = "holdfast_fence";

    private static final int MOST_ATTEMPTS = 5;

    /** Checks the name, because it becomes part of statements. */
    public FenceTable {
        Identifier.table(name);
    }

    /** {@return the table with the usual name} */
    public static FenceTable usual() {
        return new FenceTable(DEFAULT_NAME);
    }

    /**
     * Creates the table if it is not there. Programs without the right to do so let somebody else execute
     * {@link #definition}.
     *
     * @param pool lends a connection
     * @return this
     * @throws SQLException if the database refuses
     */
    public FenceTable create(DataSource pool) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (Borrowed transaction = Borrowed.from(pool);
                    Statement statement = transaction.connection().createStatement()) {
                statement.execute(definition(transaction.connection()));
                transaction.commit("creation of a table", name);
                return this;
            } catch (SQLException failure) {
                // On PostgreSQL two who create it at the same time get into each other's way in its catalogue.
                if (Faults.kindOf(failure) != Faults.Kind.DUPLICATE || attempt == MOST_ATTEMPTS) {
                    throw failure;
                }
            }
        }
    }

    /**
     * Tells how the table is made.
     *
     * @param connection to the database it is for
     * @return one statement
     * @throws SQLException if the database does not answer
     */
    public String definition(Connection connection) throws SQLException {
        // Names are compared byte by byte: a collation that ignores case would mix up the tokens of two locks.
        String type = switch (Dialect.of(connection)) {
            case POSTGRESQL -> "VARCHAR(255) COLLATE \"C\"";
            case MARIADB, MYSQL, H2 -> "VARBINARY(255)";
        };
        String engine = Dialect.of(connection).isMySqlFamily() ? " ENGINE = InnoDB" : "";
        return "CREATE TABLE IF NOT EXISTS " + name + " (name " + type + " NOT NULL PRIMARY KEY, token BIGINT NOT NULL)"
                + engine;
    }
}
