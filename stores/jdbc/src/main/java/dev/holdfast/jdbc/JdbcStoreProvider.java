package dev.holdfast.jdbc;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.DriverSource;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreProvider;
import dev.holdfast.spi.StoreUri;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/** Opens {@code jdbc:} URLs with the driver that the program brings along. */
public final class JdbcStoreProvider implements StoreProvider {
    private static final String DATABASES = "PostgreSQL, MariaDB, MySQL and H2";
    private static final String STRATEGY = "strategy";
    private static final String PREFIX = "prefix";
    private static final String SCHEMA = "schema";
    private static final String CONNECTIONS = "connections";
    private static final String NOTIFICATIONS = "notifications";
    private static final String GENERATION = "generation";
    private static final String CLUSTER = "cluster";

    /** What people try, as it stands in a URL. */
    private static final Set<String> UNSUPPORTED = Set.of(
            "as400",
            "db2",
            "derby",
            "firebirdsql",
            "hsqldb",
            "informix-sqli",
            "oracle",
            "sap",
            "sqlite",
            "sqlserver",
            "sybase");

    /** Made by {@link java.util.ServiceLoader}. */
    public JdbcStoreProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public Set<String> options() {
        return Set.of(STRATEGY, PREFIX, SCHEMA, CONNECTIONS, NOTIFICATIONS, GENERATION, CLUSTER);
    }

    @Override
    public LockStore open(StoreUri uri, StoreContext context) {
        Credentials credentials = uri.credentials().orElse(null);
        String[] words = uri.address().split(":", 3);
        if (words.length > 1 && UNSUPPORTED.contains(words[1].toLowerCase(Locale.ROOT))) {
            throw new StoreMisconfiguredException("Holdfast does not work with the database of " + uri
                    + "; it works with " + DATABASES + ". Use one of them for the locks, or another store");
        }
        try {
            DriverManager.getDriver(uri.address());
        } catch (SQLException none) {
            throw new StoreMisconfiguredException("no JDBC driver on the class path takes " + uri
                    + "; add the driver of the database, which must be one of " + DATABASES);
        }
        return new JdbcStore(
                        new DriverSource(
                                uri.address(),
                                credentials == null ? null : () -> credentials,
                                context.commandTimeout()),
                        Dialect.ofUrl(uri.address()),
                        options(uri))
                .open(context);
    }

    private static JdbcOptions options(StoreUri uri) {
        JdbcOptions usual = JdbcOptions.DEFAULTS;
        return new JdbcOptions(
                choice(uri, STRATEGY, Strategy.class, usual.strategy()),
                uri.option(PREFIX).orElse(usual.prefix()),
                choice(uri, SCHEMA, SchemaMode.class, usual.schema()),
                number(uri, CONNECTIONS, usual.connections()),
                choice(uri, NOTIFICATIONS, Switch.class, Switch.ON) == Switch.ON,
                number(uri, GENERATION, usual.generation()),
                choice(uri, CLUSTER, Cluster.class, Cluster.REFUSE) == Cluster.ALLOW);
    }

    /** What to do about clusters that are known not to work. */
    private enum Cluster {
        REFUSE,
        ALLOW
    }

    /** Whether something is used. */
    private enum Switch {
        ON,
        OFF
    }

    private static <E extends Enum<E>> E choice(StoreUri uri, String option, Class<E> type, E otherwise) {
        String given = uri.option(option).orElse(null);
        if (given == null) {
            return otherwise;
        }
        for (E value : type.getEnumConstants()) {
            if (value.name().toLowerCase(Locale.ROOT).equals(given)) {
                return value;
            }
        }
        throw new StoreMisconfiguredException("the option '" + option + "' is one of "
                + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT) + ", but was '" + given + "'");
    }

    private static int number(StoreUri uri, String option, int otherwise) {
        String given = uri.option(option).orElse(null);
        try {
            return given == null ? otherwise : Integer.parseInt(given);
        } catch (NumberFormatException wrong) {
            throw new StoreMisconfiguredException(
                    "the option '" + option + "' is a whole number, but was '" + given + "'", wrong);
        }
    }
}
