package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.tck.Outages;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** Outages of a database server behind a proxy. Used by one thread at a time. */
final class DatabaseOutages implements Outages {
    private static final String ONE_SERVER = "there is one server";
    private static final Duration POOL_TIMEOUT = Duration.ofSeconds(1);

    private final Target target;
    private final FaultProxy proxy;
    private final String options;
    private final boolean lending;
    private final Queue<HikariDataSource> lent = new ConcurrentLinkedQueue<>();
    private boolean readsOnly;

    /** The server that is broken. */
    interface Target {
        /** {@return where a client finds it over a port} */
        String url(int port);

        int port();

        void kill() throws Exception;

        /** Runs it again, on the same port and with the same data. */
        void revive() throws Exception;

        boolean isRunning();

        /** {@return the statements that refuse and allow changes, as whoever may always change things; none if nobody can} */
        List<List<String>> readsOnly();

        Connection connect() throws SQLException;

        /** {@return whether the server ends a transaction whose connection is dead, in the time that it is told} */
        default boolean endsTransactionsOfTheDead() {
            return true;
        }

        /** {@return how often a driver asks the server for one statement} */
        default int tripsOfAStatement() {
            return 1;
        }
    }

    DatabaseOutages(Rig rig, Target target, String options) {
        this(rig, target, options, false);
    }

    private DatabaseOutages(Rig rig, Target target, String options, boolean lending) {
        this.target = target;
        this.proxy = FaultProxy.before(rig, target.port());
        this.options = options;
        this.lending = lending;
        rig.keep(this::closePools);
    }

    /** Makes outages for clients that are lent a pool each, of the strategy lease. */
    static DatabaseOutages ofPools(Rig rig, DatabaseServer server) {
        return new DatabaseOutages(rig, new RigTarget(server, List.of()), "", true);
    }

    /** Makes outages of a server that the rig has started. */
    static DatabaseOutages of(Rig rig, DatabaseServer server, String options, List<List<String>> readsOnly) {
        return new DatabaseOutages(rig, new RigTarget(server, readsOnly), options);
    }

    private record RigTarget(DatabaseServer server, List<List<String>> readsOnly) implements Target {
        @Override
        public String url(int port) {
            return server.accessThrough(port).jdbcUrlWithCredentials();
        }

        @Override
        public int port() {
            return server.port();
        }

        @Override
        public void kill() throws InterruptedException {
            server.kill();
        }

        @Override
        public void revive() throws InterruptedException {
            server.start();
        }

        @Override
        public boolean isRunning() {
            return server.server().isRunning();
        }

        @Override
        public Connection connect() throws SQLException {
            return server.connect();
        }
    }

    /** {@return where clients are that do not suffer} */
    String url() {
        return target.url(target.port()) + options;
    }

    @Override
    public HoldfastBuilder connect(HoldfastBuilder client) {
        String url = target.url(proxy.port()) + options;
        return lending ? client.store(JdbcStore.on(pool(url))) : client.url(url);
    }

    /**
     * As the page on pools tells to set it up. Nobody but the pool can cut a connection that it makes or tries, and until it
     * gives up, that one has a place in the pool.
     */
    private HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        long millis = POOL_TIMEOUT.toMillis();
        config.setJdbcUrl(url
                + (url.startsWith("jdbc:postgresql:")
                        ? "&loginTimeout=" + 2 * POOL_TIMEOUT.toSeconds()
                        : "&connectTimeout=" + millis + "&socketTimeout=" + millis));
        config.setConnectionTimeout(3 * millis);
        config.setValidationTimeout(POOL_TIMEOUT.dividedBy(2).toMillis());
        // Some clients begin during an outage.
        config.setInitializationFailTimeout(-1);
        HikariDataSource pool = new HikariDataSource(config);
        lent.add(pool);
        return pool;
    }

    /** Closes the pools that were lent to the clients of tests that are over. */
    void closePools() {
        for (HikariDataSource pool = lent.poll(); pool != null; pool = lent.poll()) {
            pool.close();
        }
    }

    @Override
    public void begin(Fault fault) throws Exception {
        switch (fault) {
            case SILENT -> proxy.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            case REFUSED -> {
                proxy.refuse();
                proxy.cut();
            }
            case RESET -> {
                // Some before the server has heard of it, the others before the client hears of what was done.
                proxy.resetOn(
                        Direction.TO_SERVER,
                        Integer.MAX_VALUE,
                        request -> ThreadLocalRandom.current().nextBoolean());
                proxy.resetOn(Direction.TO_CLIENT, Integer.MAX_VALUE, reply -> true);
                proxy.reset();
            }
            case SLOW -> proxy.delay(SLOWNESS.dividedBy(2L * target.tripsOfAStatement()));
            case REPLIES_LOST -> proxy.blackHole(Direction.TO_CLIENT);
            case CONNECTIONS_DEAD -> proxy.abandon();
            case RESTARTED -> target.kill();
            case READS_ONLY -> {
                readsOnly = true;
                execute(target.readsOnly().get(0));
            }
            case PARTLY_SILENT, FAILED_OVER -> throw new IllegalArgumentException(fault.explanation());
        }
    }

    @Override
    public void end() throws Exception {
        if (!target.isRunning()) {
            target.revive();
        }
        if (readsOnly) {
            execute(target.readsOnly().get(1));
            readsOnly = false;
        }
        proxy.heal();
    }

    private void execute(List<String> statements) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public Map<Fault, String> impossible() {
        Map<Fault, String> impossible = new EnumMap<>(Fault.class);
        impossible.put(Fault.PARTLY_SILENT, ONE_SERVER);
        impossible.put(Fault.FAILED_OVER, ONE_SERVER);
        if (!target.endsTransactionsOfTheDead()) {
            impossible.put(
                    Fault.CONNECTIONS_DEAD,
                    "the server keeps the transaction of a client that is gone without a word, with its rows, for ever");
        }
        if (target.readsOnly().isEmpty()) {
            impossible.put(Fault.READS_ONLY, "the server cannot refuse the changes of some sessions and not of others");
        }
        return impossible;
    }

    /** With the other strategies a lock is one of a connection. */
    @Override
    public boolean keepsLocks(Fault fault) {
        return options.isEmpty() || fault == Fault.SLOW || fault == Fault.READS_ONLY;
    }
}
