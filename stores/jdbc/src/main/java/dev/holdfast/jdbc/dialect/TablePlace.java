package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the tables of a prefix are, in the server's own spelling. Advisory locks are made from it, so that everybody who
 * uses the same tables uses the same locks, however the prefix is written and whatever the search path is, and nobody else
 * does: on MySQL and MariaDB such a lock is one of the whole server.
 *
 * @param dialect PostgreSQL, MySQL or MariaDB
 * @param prefix as it was given
 */
public record TablePlace(Dialect dialect, String prefix) {

    /**
     * Asks the server.
     *
     * @param connection the connection
     * @return the place
     * @throws SQLException if the server does not answer
     */
    public String resolve(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + expression())) {
            row.next();
            @Nullable String place = row.getString(1);
            return place == null ? prefix : place;
        }
    }

    /** {@return the place as an expression} */
    public String expression() {
        return dialect == Dialect.POSTGRESQL ? onPostgres() : onMySql();
    }

    /**
     * Names without quotes are lower case. Without tables it is where they would be made. The schema {@code public} is left
     * out, as it is usually left out of the prefix: so the lock is the same as that of earlier releases there.
     */
    private String onPostgres() {
        String table = prefix.toLowerCase(Locale.ROOT);
        String schema = schema() == null ? "current_schema()" : "'" + schemaOf(table) + "'";
        return "(SELECT CASE WHEN f.place = 'public' THEN '' ELSE f.place || '.' END || '" + nameOf(table)
                + "' FROM (SELECT CAST(COALESCE((SELECT n.nspname FROM pg_class c JOIN pg_namespace n"
                + " ON n.oid = c.relnamespace WHERE c.oid = to_regclass('" + table + "session')), " + schema
                + ") AS text) AS place) f)";
    }

    /** Whether the case of names matters is up to the server. */
    private String onMySql() {
        String schema = schema() == null ? "DATABASE()" : "'" + schemaOf(prefix) + "'";
        String place = "CONCAT(" + schema + ", '.', '" + nameOf(prefix) + "')";
        return "CASE WHEN @@lower_case_table_names = 0 THEN " + place + " ELSE LOWER(" + place + ") END";
    }

    private @Nullable String schema() {
        return prefix.contains(".") ? schemaOf(prefix) : null;
    }

    private static String schemaOf(String name) {
        return name.substring(0, name.indexOf('.'));
    }

    private static String nameOf(String name) {
        return name.substring(name.indexOf('.') + 1);
    }
}
