package dev.holdfast.spring.autoconfigure;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.jdbc.JdbcStore;
import dev.holdfast.jdbc.SchemaMode;
import dev.holdfast.jdbc.Strategy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/** Locks in the application's database, through its pool. */
final class DataSourceAdapter implements StoreFinder.Adapter {
    private static final Log log = LogFactory.getLog(DataSourceAdapter.class);
    private static final Set<String> OPTIONS =
            Set.of("strategy", "prefix", "schema", "connections", "notifications", "generation", "cluster");

    /** The pool is the application's: a pool of ten, which is Hikari's default, keeps most of its connections for it. */
    private static final int CONNECTIONS = 3;

    @Override
    public Consumer<HoldfastBuilder> adapt(Object bean, Map<String, String> options) {
        Options.only(options, "a DataSource", OPTIONS);
        DataSource pool = withoutTransactions((DataSource) bean);
        warnIfPrivate(pool);
        JdbcStore store = JdbcStore.on(pool).withConnections(CONNECTIONS);
        for (Map.Entry<String, String> option : options.entrySet()) {
            store = with(store, option.getKey(), option.getValue());
        }
        JdbcStore chosen = store;
        return builder -> builder.store(chosen);
    }

    private static JdbcStore with(JdbcStore store, String option, String value) {
        return switch (option) {
            case "strategy" -> store.withStrategy(Options.choice(option, value, Strategy.class));
            case "prefix" -> store.withPrefix(value);
            case "schema" -> store.withSchema(Options.choice(option, value, SchemaMode.class));
            case "connections" -> store.withConnections(Options.number(option, value));
            case "generation" -> store.withGeneration(Options.number(option, value));
            case "cluster" -> store.withAnyCluster(Options.choice(option, value, Cluster.class) == Cluster.ALLOW);
            default -> store.withNotifications(Options.choice(option, value, Switch.class) == Switch.ON);
        };
    }

    /** A proxy that joins the caller's transaction would write the lock into it. */
    private static DataSource withoutTransactions(DataSource given) {
        DataSource current = given;
        if (ClassUtils.isPresent(
                "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy",
                DataSourceAdapter.class.getClassLoader())) {
            while (current instanceof TransactionAwareDataSourceProxy proxy) {
                current = Objects.requireNonNull(proxy.getTargetDataSource(), "the proxy has no DataSource");
            }
        }
        return current;
    }

    private static void warnIfPrivate(DataSource pool) {
        try (Connection connection = pool.getConnection()) {
            String url = connection.getMetaData().getURL();
            if (url != null && url.startsWith("jdbc:h2:mem:")) {
                log.warn(
                        "The locks are in an H2 database in the memory of this process: other processes do not see them."
                                + " Use a database server, or set 'holdfast.url'.");
            }
        } catch (SQLException unreachable) {
            log.debug("The database did not answer yet; the client will ask it", unreachable);
        }
    }

    private enum Cluster {
        REFUSE,
        ALLOW
    }

    private enum Switch {
        ON,
        OFF
    }
}
