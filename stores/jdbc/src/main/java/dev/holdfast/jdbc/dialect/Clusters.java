package dev.holdfast.jdbc.dialect;

import dev.holdfast.StoreMisconfiguredException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recognises clusters that only look like one server. There a row that one node has locked is free on another, an advisory
 * lock is known to one node only, and times are those of several clocks: locks would protect nothing. They are refused by
 * name.
 */
public final class Clusters {
    private static final String SEVERAL_WRITERS =
            ", where several nodes take writes: a lock that one node has given is not known to the others in time";
    private static final String SPLITS = ", which may send a question to another server than the change before it";

    private Clusters() {}

    /**
     * Refuses a cluster.
     *
     * @param dialect the dialect
     * @param connection a connection, perhaps within a transaction
     * @throws SQLException if the server does not answer
     * @throws StoreMisconfiguredException if it is one that is known not to work
     */
    public static void refuse(Dialect dialect, Connection connection) throws SQLException {
        Map<String, String> known = new HashMap<>();
        known.put("version", connection.getMetaData().getDatabaseProductVersion());
        if (dialect == Dialect.POSTGRESQL) {
            known.put("version", ask(connection, "SELECT version()"));
            known.put("pool_version", askIfKnown(connection, "SHOW pool_version"));
        } else if (dialect.isMySqlFamily()) {
            known.put("version_comment", ask(connection, "SELECT @@version_comment"));
            readVariables(connection, known);
        }
        Optional<String> reason = reasonAgainst(known);
        if (reason.isPresent()) {
            throw new StoreMisconfiguredException("the database is " + reason.get()
                    + "; give the URL of one server, or, if you know that all clients reach the same one,"
                    + " set cluster=allow");
        }
    }

    /** What is wrong with a server that says this of itself. */
    static Optional<String> reasonAgainst(Map<String, String> known) {
        String version = known.getOrDefault("version", "").toLowerCase(Locale.ROOT);
        String comment = known.getOrDefault("version_comment", "").toLowerCase(Locale.ROOT);
        String provider = known.getOrDefault("wsrep_provider", "none").toLowerCase(Locale.ROOT);
        if (version.contains("cockroachdb")) {
            return Optional.of("CockroachDB" + SEVERAL_WRITERS);
        }
        if (version.contains("tidb")) {
            return Optional.of("TiDB" + SEVERAL_WRITERS);
        }
        if (version.contains("vitess") || comment.contains("vitess")) {
            return Optional.of("Vitess" + SPLITS);
        }
        if (version.contains("-yb-") || version.contains("yugabyte")) {
            return Optional.of("YugabyteDB" + SEVERAL_WRITERS);
        }
        if (isOn(known, "wsrep_on") && !provider.isEmpty() && !provider.equals("none")) {
            return Optional.of("a Galera cluster" + SEVERAL_WRITERS);
        }
        if (isOff(known, "group_replication_single_primary_mode")
                && !known.getOrDefault("group_replication_group_name", "").isEmpty()) {
            return Optional.of("a group replication with several primaries" + SEVERAL_WRITERS);
        }
        if (version.contains("maxscale") || comment.contains("maxscale")) {
            return Optional.of("behind MaxScale" + SPLITS);
        }
        if (version.contains("proxysql") || comment.contains("proxysql")) {
            return Optional.of("behind ProxySQL" + SPLITS);
        }
        return known.getOrDefault("pool_version", "").isEmpty()
                ? Optional.empty()
                : Optional.of("behind Pgpool-II" + SPLITS);
    }

    private static boolean isOn(Map<String, String> known, String variable) {
        String value = known.getOrDefault(variable, "");
        return value.equalsIgnoreCase("ON") || value.equals("1");
    }

    private static boolean isOff(Map<String, String> known, String variable) {
        String value = known.getOrDefault(variable, "");
        return value.equalsIgnoreCase("OFF") || value.equals("0");
    }

    private static void readVariables(Connection connection, Map<String, String> known) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW VARIABLES WHERE variable_name IN ('wsrep_on',"
                        + " 'wsrep_provider', 'group_replication_single_primary_mode',"
                        + " 'group_replication_group_name')")) {
            while (row.next()) {
                known.put(row.getString(1).toLowerCase(Locale.ROOT), text(row.getString(2)));
            }
        }
    }

    private static String ask(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? text(row.getString(1)) : "";
        }
    }

    /** Only the one that is looked for knows the question; a refusal would spoil the transaction of a caller. */
    private static String askIfKnown(Connection connection, String query) throws SQLException {
        Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
        try {
            return ask(connection, query);
        } catch (SQLException unknown) {
            if (Faults.kindOf(unknown) == Faults.Kind.UNREACHABLE) {
                throw unknown;
            }
            if (before != null) {
                connection.rollback(before);
            }
            return "";
        }
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
