package dev.holdfast.jdbc;

import dev.holdfast.Credentials;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.advisory.NamedLock;
import dev.holdfast.jdbc.advisory.PostgresAdvisory;
import dev.holdfast.jdbc.dialect.ConnectionSource;
import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.DriverSource;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.PoolSource;
import dev.holdfast.jdbc.dialect.TablePlace;
import dev.holdfast.jdbc.lease.LeaseStore;
import dev.holdfast.jdbc.row.RowLock;
import dev.holdfast.jdbc.session.Register;
import dev.holdfast.jdbc.session.Registered;
import dev.holdfast.jdbc.session.SessionLock;
import dev.holdfast.jdbc.session.SessionStore;
import dev.holdfast.jdbc.session.SessionTraits;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * A store in a database that the program already has a data source for:
 *
 * <pre>{@code
 * Holdfast locks = Holdfast.builder().store(JdbcStore.on(dataSource)).build();
 * }</pre>
 *
 * <p>Connections are borrowed for single statements and go back as they came, except one that is reserved for renewals
 * and, on PostgreSQL, one that listens. Give the pool itself and not a proxy that joins the caller's transaction.
 * Immutable.
 */
public final class JdbcStore implements StoreFactory {
    /** For the other statements of the strategies that keep a connection per lock; as many as locks, within bounds. */
    private static final int FEWEST_SIDE_CONNECTIONS = 4;

    private static final int MOST_SIDE_CONNECTIONS = 16;

    /** For tables that are made before a client says how long its commands may take. */
    private static final Duration TIME_WITHOUT_CLIENT = Duration.ofSeconds(5);

    private final ConnectionSource source;
    private final Optional<Dialect> dialect;
    private final JdbcOptions options;

    /** Of locks of callers' transactions; shared by all stores on the same source. */
    private final KnownDatabase known;

    JdbcStore(ConnectionSource source, Optional<Dialect> dialect, JdbcOptions options) {
        this(source, dialect, options, new KnownDatabase());
    }

    private JdbcStore(ConnectionSource source, Optional<Dialect> dialect, JdbcOptions options, KnownDatabase known) {
        this.source = source;
        this.dialect = dialect;
        this.options = options;
        this.known = known;
    }

    /**
     * Uses a data source, with the default options.
     *
     * @param dataSource the pool; stays open when the store is closed
     * @return the store's factory
     * @throws StoreMisconfiguredException if it is a proxy that joins the caller's transaction
     */
    public static JdbcStore on(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        PoolSource.refuseIfPartOfTransactions(dataSource);
        return new JdbcStore(
                new PoolSource(dataSource), Optional.empty(), JdbcOptions.DEFAULTS, KnownDatabase.behind(dataSource));
    }

    /**
     * Connects to a URL with credentials that change, such as passwords that rotate or tokens of a cloud provider. They are
     * asked for at each new connection; connections that are open go on.
     *
     * @param url a {@code jdbc:} URL without options behind a {@code #} and without a password
     * @param credentials tells the user and password of right now; called from several threads
     * @return the store's factory
     */
    public static JdbcStore at(String url, Supplier<Credentials> credentials) {
        Objects.requireNonNull(credentials, "credentials");
        if (!url.startsWith("jdbc:") || url.contains("#")) {
            throw new StoreMisconfiguredException(
                    "the URL must begin with 'jdbc:' and have no '#'; use the with… methods for options");
        }
        DriverSource source = new DriverSource(url, credentials, TIME_WITHOUT_CLIENT);
        return new JdbcStore(source, Dialect.ofUrl(url), JdbcOptions.DEFAULTS);
    }

    /**
     * Chooses how the database is used.
     *
     * @param chosen the strategy
     * @return a changed copy
     */
    public JdbcStore withStrategy(Strategy chosen) {
        Objects.requireNonNull(chosen, "chosen");
        return with(options.withStrategy(chosen));
    }

    /**
     * Chooses the names of the tables.
     *
     * @param tables what they begin with: letters, digits, underscores; a schema and a dot may stand in front
     * @return a changed copy
     * @throws StoreMisconfiguredException if it is something else
     */
    public JdbcStore withPrefix(String tables) {
        Objects.requireNonNull(tables, "tables");
        return with(options.withPrefix(tables));
    }

    /**
     * Chooses what to do about missing tables.
     *
     * @param mode what to do
     * @return a changed copy
     */
    public JdbcStore withSchema(SchemaMode mode) {
        Objects.requireNonNull(mode, "mode");
        return with(options.withSchema(mode));
    }

    /**
     * Limits how many connections are used at the same time. For the strategies that keep a connection per lock, this is
     * also the number of locks that one client can hold.
     *
     * @param most the limit, 8 if not given; the connections for renewals and for listening are not counted
     * @return a changed copy
     * @throws StoreMisconfiguredException if it is less than 1 or more than 1,000
     */
    public JdbcStore withConnections(int most) {
        return with(options.withConnections(most));
    }

    /**
     * Chooses whether PostgreSQL's notifications are used. Without them, and on other databases, the client polls.
     *
     * @param wanted false behind a pooler that gives every transaction another session; that is also noticed without it
     * @return a changed copy
     */
    public JdbcStore withNotifications(boolean wanted) {
        return with(options.withNotifications(wanted));
    }

    /**
     * Makes tokens larger than all that were given before, on servers that do not count their promotions: MySQL and
     * MariaDB. Raise it by one, for all clients, when a replica that may lack commits takes over. PostgreSQL counts by
     * itself; there it is added.
     *
     * @param number from 0, which is the default, to 100,000
     * @return a changed copy
     * @throws StoreMisconfiguredException if it is something else
     */
    public JdbcStore withGeneration(int number) {
        return with(options.withGeneration(number));
    }

    /**
     * Chooses whether to use a cluster that only looks like one server, such as Galera, group replication with several
     * primaries, CockroachDB, YugabyteDB, or a proxy that splits reads and writes. There locks protect nothing, unless
     * all clients reach the same node; so they are refused.
     *
     * @param allowed true if you know better
     * @return a changed copy
     */
    public JdbcStore withAnyCluster(boolean allowed) {
        return with(options.withAnyCluster(allowed));
    }

    private JdbcStore with(JdbcOptions chosen) {
        return new JdbcStore(source, dialect, chosen, known);
    }

    /**
     * Locks within the caller's own transaction, with the strategies {@link Strategy#ROW} and {@link Strategy#ADVISORY}:
     * they live and end with it.
     *
     * @param connection the caller's connection, not in autocommit
     * @return the locks
     * @throws StoreMisconfiguredException if the strategy is {@link Strategy#LEASE}, or the database does not have it, is
     *     too old, or is a cluster that only looks like one server
     * @throws IllegalStateException if the connection is in autocommit
     */
    public TransactionLocks onConnection(Connection connection) {
        Objects.requireNonNull(connection, "connection");
        if (options.strategy() == Strategy.LEASE) {
            throw new StoreMisconfiguredException("a lease lives longer than a transaction;"
                    + " use withStrategy(ROW) or withStrategy(ADVISORY) for locks on the caller's connection");
        }
        return new TransactionLocks(connection, source, options, known);
    }

    @Override
    public LockStore open(StoreContext context) {
        Optional<Dialect> expected =
                dialect.isPresent() ? dialect : source.knownUrl().flatMap(Dialect::ofUrl);
        ConnectionSource bounded = source.within(context.commandTimeout());
        Strategy strategy = options.strategy();
        if (strategy != Strategy.LEASE) {
            int side = Math.max(FEWEST_SIDE_CONNECTIONS, Math.min(MOST_SIDE_CONNECTIONS, options.connections()));
            Connections pool = Connections.withSeats(bounded, side, context.commandTimeout());
            boolean shares = strategy == Strategy.ROW
                    && expected.filter(RowLock::sharesOn).isPresent();
            SessionStore store = new SessionStore(
                    new Database(pool, context),
                    options.tables(),
                    context,
                    this::lockFor,
                    SessionTraits.of(shares),
                    options.connections(),
                    options.generation(),
                    options.anyCluster());
            return new OneDeadline(store, pool.budget());
        }
        Connections pool = new Connections(bounded, options.connections(), context.commandTimeout());
        LeaseStore store = new LeaseStore(
                new Database(pool, context),
                options.tables(),
                context,
                expected,
                new LeaseStore.Options(options.notifications(), options.generation(), options.anyCluster()));
        return new OneDeadline(store, pool.budget());
    }

    private SessionLock lockFor(Database database, Epochs epochs) {
        Dialect found = epochs.dialect();
        String prefix = options.prefix();
        Register register = new Register(database, epochs, prefix, PostgresAdvisory.isFree(found, prefix));
        if (options.strategy() == Strategy.ROW) {
            return new Registered(database, new RowLock(found, prefix), register);
        }
        if (found == Dialect.H2) {
            throw new StoreMisconfiguredException(
                    "H2 has no advisory locks; use strategy=lease, or strategy=row to lock rows");
        }
        String place = database.run("begin", "the store", new TablePlace(found, prefix)::resolve);
        return found == Dialect.POSTGRESQL
                ? new PostgresAdvisory(database, register, epochs, prefix, place)
                : new Registered(database, new NamedLock(place), register);
    }

    @Override
    public String toString() {
        return "JdbcStore[strategy=" + options.strategy() + ", prefix=" + options.prefix() + "]";
    }
}
