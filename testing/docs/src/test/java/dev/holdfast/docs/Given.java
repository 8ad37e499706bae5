package dev.holdfast.docs;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.OptimisticTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import javax.net.ssl.SSLContext;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockProvider;
import org.apache.curator.framework.CuratorFramework;
import org.h2.jdbcx.JdbcDataSource;
import org.redisson.api.RedissonClient;
import org.springframework.integration.support.locks.LockRegistry;
import redis.clients.jedis.RedisClient;

/**
 * What the snippets take for granted: the names that a reader would have at hand. A snippet is compiled as the body of a
 * method of a subclass. Those that are run find a client of the memory store and a database with one account in it.
 */
public class Given implements AutoCloseable {
    /** Something that is worth a lock. */
    public record Order(int id) {}

    protected final Order order = new Order(42);
    protected final AtomicInteger stock = new AtomicInteger(3);
    protected Holdfast locks;
    protected DistributedLock lock;
    protected Lease lease;
    protected DataSource pool;
    protected DataSource dataSource;
    protected Connection connection;
    protected OptimisticTable accounts = OptimisticTable.byVersion("account", "id", "version");
    protected RedisClient redisClient;
    protected SSLContext sslContext;
    protected CuratorFramework curator;
    protected RedissonClient redisson;
    protected LockRegistry<Lock> registry;
    protected LockProvider lockProvider;

    /** Makes real what a snippet can be run with. */
    void open() throws SQLException {
        locks = Holdfast.connect("memory:");
        lock = locks.lock("orders/42");
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        pool = database;
        dataSource = database;
        connection = pool.getConnection();
        prepare(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE account ADD COLUMN fence BIGINT DEFAULT 0 NOT NULL");
        }
    }

    /** Makes the tables that the pages speak of. */
    static void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(50), balance INT NOT NULL,"
                    + " version INT)");
            statement.execute("INSERT INTO account VALUES (42, 'Bob', 150, 0)");
            statement.execute("CREATE TABLE job (id INT PRIMARY KEY, done INT NOT NULL)");
            statement.execute("INSERT INTO job VALUES (1, 0), (2, 0)");
        }
    }

    /** The snippet itself; a subclass has it. */
    protected void snippet() throws Exception {
        throw new UnsupportedOperationException("this is no snippet");
    }

    @Override
    public void close() throws SQLException {
        if (connection != null) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SHUTDOWN");
            }
        }
        if (locks != null) {
            locks.close();
        }
    }

    protected void startWork() {}

    protected void stopWork() {}

    protected void work() {}

    protected void work(Lease held) {
        held.ensureHeld();
    }

    protected void save(Order what, long token) {}

    protected void buildReport(Lease held) {
        held.ensureHeld();
    }

    protected long askTheBank(int account) {
        return 100L * account;
    }

    protected void store(Connection transaction, int account, long balance) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.executeUpdate("UPDATE account SET balance = " + balance + " WHERE id = " + account);
        }
    }

    protected void renumber(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.executeUpdate("UPDATE job SET id = id + 100");
        }
    }
}
