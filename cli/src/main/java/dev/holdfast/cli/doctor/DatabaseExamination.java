package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.cli.store.Settings;
import dev.holdfast.cli.store.StoreChoice;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** Looks at the settings of a database that can lose locks. */
final class DatabaseExamination implements Examination {
    @Override
    public boolean knows(String url) {
        return url.startsWith("jdbc:");
    }

    @Override
    public List<Finding> examine(StoreChoice choice) {
        List<Finding> findings = new ArrayList<>();
        String url = choice.driverUrl().replaceFirst("#.*", "");
        try (Connection connection = DriverManager.getConnection(url, properties(choice));
                Statement statement = connection.createStatement()) {
            DatabaseMetaData about = connection.getMetaData();
            String product = about.getDatabaseProductName();
            findings.add(Finding.ok("version " + product + " " + about.getDatabaseProductVersion()));
            if (product.toLowerCase(Locale.ROOT).contains("postgres")) {
                postgres(statement, findings);
            } else if (product.toLowerCase(Locale.ROOT).matches(".*(mysql|mariadb).*")) {
                mysql(statement, findings);
            }
        } catch (SQLException refused) {
            findings.add(Finding.unknown(
                    "the settings of the database cannot be read (SQL state " + refused.getSQLState() + ")", ""));
        }
        return findings;
    }

    private static Properties properties(StoreChoice choice) {
        Properties properties = new Properties();
        Credentials file = choice.credentials();
        Map<String, String> environment = System.getenv();
        String password =
                file != null ? file.password() : environment.getOrDefault(Settings.Key.PASSWORD.variable(), "");
        if (!password.isEmpty()) {
            properties.setProperty("password", password);
        }
        return properties;
    }

    private static void postgres(Statement statement, List<Finding> findings) throws SQLException {
        expect(statement, "SHOW fsync", "on", "fsync", "a crash of the machine may forget or damage locks", findings);
        expect(
                statement,
                "SHOW full_page_writes",
                "on",
                "full_page_writes",
                "a crash of the machine may damage the tables of the locks",
                findings);
        String commit = value(statement, "SHOW synchronous_commit");
        findings.add(
                commit.equals("off")
                        ? Finding.danger(
                                "synchronous_commit is off: a crash forgets locks that were just granted",
                                "ALTER ROLE ... SET synchronous_commit = on, for the user of the locks")
                        : Finding.ok("synchronous_commit is " + commit));
        if (value(statement, "SELECT pg_is_in_recovery()").equals("t")) {
            findings.add(Finding.danger("it is a standby, which cannot grant locks", "name the primary"));
        }
        if (value(statement, "SHOW transaction_read_only").equals("on")) {
            findings.add(Finding.danger("transactions are read-only", "name the primary, or another user"));
        }
        String backend = value(statement, "SELECT pg_backend_pid()");
        if (!backend.equals(value(statement, "SELECT pg_backend_pid()"))) {
            findings.add(Finding.danger(
                    "a pooler gives each transaction another connection",
                    "connect to the database itself, or to a pool in session mode"));
        }
    }

    private static void mysql(Statement statement, List<Finding> findings) throws SQLException {
        expect(
                statement,
                "SELECT @@innodb_flush_log_at_trx_commit",
                "1",
                "innodb_flush_log_at_trx_commit",
                "a crash forgets locks that were just granted",
                findings);
        if (value(statement, "SELECT @@global.read_only").equals("1")) {
            findings.add(Finding.danger("the server is read-only", "name the primary"));
        }
        if (value(statement, "SHOW STATUS LIKE 'wsrep_cluster_size'", 2).matches("[1-9]\\d*")) {
            findings.add(Finding.danger(
                    "it is a member of a Galera cluster, where row locks of members do not exclude each other",
                    "use one server, or another store"));
        }
    }

    private static void expect(
            Statement statement, String sql, String wanted, String name, String otherwise, List<Finding> findings)
            throws SQLException {
        String found = value(statement, sql);
        findings.add(
                found.equals(wanted)
                        ? Finding.ok(name + " is " + found)
                        : Finding.danger(name + " is " + found + ": " + otherwise, "set it to " + wanted));
    }

    private static String value(Statement statement, String sql) throws SQLException {
        return value(statement, sql, 1);
    }

    private static String value(Statement statement, String sql, int column) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            String found = row.next() ? row.getString(column) : null;
            return found == null ? "" : found;
        }
    }
}
