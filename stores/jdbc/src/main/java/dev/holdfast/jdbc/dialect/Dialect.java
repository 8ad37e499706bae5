package dev.holdfast.jdbc.dialect;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/**
 * The databases that are supported; {@link Versions} refuses older ones. Times are microseconds since 2025-01-01 by the database's clock, as a whole number,
 * so that no time zone and no daylight saving can move them.
 */
public enum Dialect {
    /** H2, embedded or as a server. Its clock stands still within a transaction, which can only make leases shorter. */
    H2("DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '2025-01-01 00:00:00+00', CURRENT_TIMESTAMP(6))"),

    /**
     * PostgreSQL 12 or later; {@code now()} would be the time at which the transaction began. Microseconds fit a double
     * until the year 2255, and {@code EXTRACT} would compute with decimals.
     */
    POSTGRESQL("(CAST(date_part('epoch', clock_timestamp()) * 1000000 AS BIGINT) - 1735689600000000)"),

    /** MariaDB 10.6 or later. */
    MARIADB("TIMESTAMPDIFF(MICROSECOND, '2025-01-01 00:00:00', UTC_TIMESTAMP(6))"),

    /** MySQL 8.0.1 or later. {@code SYSDATE(6)} would move between the assignments of one statement. */
    MYSQL("TIMESTAMPDIFF(MICROSECOND, '2025-01-01 00:00:00', UTC_TIMESTAMP(6))");

    private final String now;

    Dialect(String now) {
        this.now = now;
    }

    /**
     * Asks a connection what it leads to; a driver for MySQL may well lead to MariaDB.
     *
     * @param connection the connection
     * @return the dialect
     * @throws SQLException if it does not answer
     * @throws dev.holdfast.StoreMisconfiguredException if the database is not supported
     */
    public static Dialect of(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String product = data.getDatabaseProductName().toLowerCase(Locale.ROOT);
        boolean mariadb =
                product.contains("mariadb") || data.getDatabaseProductVersion().contains("MariaDB");
        if (mariadb) {
            return MARIADB;
        }
        for (Dialect dialect : values()) {
            if (product.contains(dialect.name().toLowerCase(Locale.ROOT))) {
                return dialect;
            }
        }
        throw new dev.holdfast.StoreMisconfiguredException("the database '" + data.getDatabaseProductName()
                + "' is not supported; supported are PostgreSQL, MariaDB, MySQL and H2");
    }

    /**
     * Guesses from a URL; what the connection says later decides.
     *
     * @param url a {@code jdbc:} URL
     * @return the dialect, if the URL tells
     */
    public static Optional<Dialect> ofUrl(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        for (Dialect dialect : values()) {
            if (lower.startsWith("jdbc:" + dialect.name().toLowerCase(Locale.ROOT) + ":")) {
                return Optional.of(dialect);
            }
        }
        return Optional.empty();
    }

    /** {@return an expression for the database's time} */
    public String now() {
        return now;
    }

    /** {@return an expression for the number of the session} */
    public String session() {
        return switch (this) {
            case POSTGRESQL -> "pg_backend_pid()";
            case MARIADB, MYSQL -> "CONNECTION_ID()";
            case H2 -> "SESSION_ID()";
        };
    }

    /** {@return whether it belongs to the family of MySQL} */
    public boolean isMySqlFamily() {
        return this == MARIADB || this == MYSQL;
    }

    /**
     * Binds a lock's name. Everywhere but on PostgreSQL names are bytes, because their text comparison depends on
     * collations, which may ignore case or trailing blanks.
     *
     * @param statement the statement
     * @param index which parameter
     * @param name the name
     * @throws SQLException if the driver refuses
     */
    public void bindName(PreparedStatement statement, int index, String name) throws SQLException {
        if (this == POSTGRESQL) {
            statement.setString(index, name);
        } else {
            statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Reads a lock's name.
     *
     * @param row the row
     * @param column which column
     * @return the name
     * @throws SQLException if the driver refuses
     */
    public String readName(ResultSet row, int column) throws SQLException {
        return this == POSTGRESQL ? row.getString(column) : new String(row.getBytes(column), StandardCharsets.UTF_8);
    }
}
