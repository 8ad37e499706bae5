package dev.holdfast.jdbc.dialect;

import dev.holdfast.Credentials;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections through the driver of a URL. Immutable.
 *
 * @param url the URL as its driver knows it
 * @param credentials tells the user and password, if they are given apart from it; asked for each connection
 * @param timeout how long a connection may take, and how long it may be silent
 */
public record DriverSource(String url, @Nullable Supplier<Credentials> credentials, Duration timeout)
        implements ConnectionSource {
    private static final Map<String, String> MYSQL_FAILOVER = Map.of(
            "failOverReadOnly", "false",
            "queriesBeforeRetryPrimaryHost", "0",
            "secondsBeforeRetryPrimaryHost", "0");

    @Override
    public Connection connect() throws SQLException {
        Properties properties = new Properties();
        if (credentials != null) {
            Credentials told = credentials.get();
            told.user().ifPresent(user -> properties.setProperty("user", user));
            properties.setProperty("password", told.password());
        }
        limit(properties, "connectTimeout");
        limit(properties, "socketTimeout");
        saveRoundTrips(properties);
        failOverOnMySql(properties);
        limitOnH2(properties);
        Connection connection = DriverManager.getConnection(url, properties);
        return H2Connection.isNeededFor(url)
                ? H2Connection.of(connection, (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()))
                : connection;
    }

    /** The drivers have the same names for it, PostgreSQL's in seconds; what the URL says is left alone. */
    private void limit(Properties properties, String key) {
        Dialect dialect = Dialect.ofUrl(url).orElse(Dialect.H2);
        if (dialect != Dialect.H2 && !url.contains(key)) {
            long millis = Math.max(1, timeout.toMillis());
            long value = dialect == Dialect.POSTGRESQL ? (millis + 999) / 1_000 : millis;
            properties.setProperty(key, Long.toString(value));
        }
    }

    /** While it connects, too; and so that a thread that waits for a silent server ends one day. */
    private void limitOnH2(Properties properties) {
        if (H2Connection.isNeededFor(url) && !url.contains("NETWORK_TIMEOUT")) {
            properties.setProperty("NETWORK_TIMEOUT", Long.toString(Math.max(1, timeout.toMillis())));
        }
    }

    /**
     * The statements are few and long, and to read one takes MariaDB half as long as to do what it says; its driver sends
     * the text and the first values together. MySQL's driver would ask for each new text in a round trip of its own, and
     * send the rows of a batch one by one: over a slow network a transaction would not fit a command timeout.
     */
    private void saveRoundTrips(Properties properties) {
        List<String> keys = Dialect.ofUrl(url)
                .map(dialect -> switch (dialect) {
                    case MARIADB -> List.of("useServerPrepStmts", "cachePrepStmts");
                    case MYSQL -> List.of("cachePrepStmts", "rewriteBatchedStatements");
                    case POSTGRESQL, H2 -> List.<String>of();
                })
                .orElse(List.of());
        for (String key : keys) {
            if (!url.contains(key)) {
                properties.setProperty(key, "true");
            }
        }
    }

    /**
     * With several servers in the URL, MySQL's driver would not write to the second one; and it would lead a connection
     * back to the first one behind our back, to a session that has neither our settings nor our locks.
     */
    private void failOverOnMySql(Properties properties) {
        if (Dialect.ofUrl(url).filter(Dialect.MYSQL::equals).isPresent()) {
            MYSQL_FAILOVER.forEach((key, value) -> {
                if (!url.contains(key)) {
                    properties.setProperty(key, value);
                }
            });
        }
    }

    @Override
    public ConnectionSource within(Duration limit) {
        return new DriverSource(url, credentials, limit);
    }

    @Override
    public Optional<String> knownUrl() {
        return Optional.of(url);
    }

    @Override
    public boolean isShared() {
        return false;
    }

    /** {@return nothing that could be a secret} */
    @Override
    public String toString() {
        return "DriverSource";
    }
}
