package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;

/** Looks at the settings of a database. */
final class DatabaseExamination implements Examination {
    /** More than one server behind an address shows itself soon: each connection may lead to another. */
    private static final int LOOKS_BEHIND_ONE_ADDRESS = 4;

    @Override
    public boolean knows(String scheme) {
        return scheme.equals("jdbc");
    }

    @Override
    public void examine(Subject subject, Findings findings) {
        String url = subject.uri().address();
        DriverManager.setLoginTimeout(Subject.TIMEOUT_MILLIS / 1_000);
        try (Connection connection = DriverManager.getConnection(url, properties(subject));
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(Subject.TIMEOUT_MILLIS / 1_000);
            DatabaseMetaData about = connection.getMetaData();
            String product = about.getDatabaseProductName();
            findings.ok("version", product + " " + about.getDatabaseProductVersion());
            String kind = product.toLowerCase(Locale.ROOT);
            Sql sql = new Sql(statement);
            if (kind.contains("postgres")) {
                PostgresChecks.look(
                        connection, sql, subject.uri().option("strategy").orElse("lease"), findings);
                behindOneAddress(
                        url, subject, "SELECT pg_postmaster_start_time()::text || current_setting('port')", findings);
            } else if (kind.contains("mysql") || kind.contains("mariadb")) {
                MySqlChecks.look(kind.contains("mariadb"), sql, findings);
                behindOneAddress(url, subject, MySqlChecks.identity(kind.contains("mariadb")), findings);
            } else if (url.toLowerCase(Locale.ROOT).startsWith("jdbc:h2:mem:")) {
                findings.danger(
                        "memory",
                        "the database is in the memory of this process, so its locks keep nobody else out",
                        "use jdbc:h2:file:…;AUTO_SERVER=TRUE on one machine, or a server");
            }
        } catch (SQLException refused) {
            findings.unknown(
                    "settings",
                    "the settings of the database cannot be read (SQL state " + refused.getSQLState() + ")",
                    "look whether it runs, and what this user may do");
        }
    }

    private static Properties properties(Subject subject) {
        Properties properties = new Properties();
        Credentials credentials = subject.uri().credentials().orElse(null);
        if (credentials != null) {
            properties.setProperty("password", credentials.password());
            credentials.user().ifPresent(user -> properties.setProperty("user", user));
        }
        return properties;
    }

    private static void behindOneAddress(String url, Subject subject, String identity, Findings findings)
            throws SQLException {
        Set<String> servers = new HashSet<>();
        for (int i = 0; i < LOOKS_BEHIND_ONE_ADDRESS; i++) {
            try (Connection connection = DriverManager.getConnection(url, properties(subject));
                    Statement statement = connection.createStatement()) {
                servers.add(new Sql(statement).value(identity));
            }
        }
        if (servers.size() > 1) {
            findings.danger(
                    "several-servers",
                    "different servers answer at this one address, and a lock on one is not seen on another",
                    "go round the load balancer; name the server that may write");
        } else {
            findings.ok("several-servers", "one server answers at this address");
        }
    }
}
