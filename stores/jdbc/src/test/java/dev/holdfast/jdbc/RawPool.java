package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A pool that does nothing for its clients: a connection comes back out exactly as it was given back, and the first time
 * as it was asked for. What better pools would put right shows here.
 */
final class RawPool implements DataSource, AutoCloseable {
    private final String url;
    private final Properties login;
    private final boolean autoCommit;
    private final int isolation;

    /** Guarded by this, as everything below. */
    private final Deque<Connection> idle = new ArrayDeque<>();

    private final Set<Connection> all = new HashSet<>();
    private int aborted;

    RawPool(String url, String user, String password, boolean autoCommit, int isolation) {
        this.url = url;
        this.login = new Properties();
        login.setProperty("user", user);
        login.setProperty("password", password);
        this.autoCommit = autoCommit;
        this.isolation = isolation;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection;
        synchronized (this) {
            connection = idle.poll();
        }
        if (connection == null) {
            connection = DriverManager.getConnection(url, login);
            connection.setTransactionIsolation(isolation);
            connection.setAutoCommit(autoCommit);
            synchronized (this) {
                all.add(connection);
            }
        }
        return lend(connection);
    }

    /** Looks whether every connection is back, and as it came. */
    synchronized void assertUnchanged() throws SQLException {
        assertThat(idle).as("connections given back").containsExactlyInAnyOrderElementsOf(all);
        for (Connection connection : idle) {
            assertThat(connection.isClosed()).isFalse();
            assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
            assertThat(connection.getTransactionIsolation()).isEqualTo(isolation);
        }
    }

    synchronized int opened() {
        return all.size();
    }

    synchronized int aborted() {
        return aborted;
    }

    @Override
    public synchronized void close() throws SQLException {
        for (Connection connection : all) {
            connection.close();
        }
    }

    private Connection lend(Connection connection) {
        boolean[] gone = {false};
        return (Connection) Proxy.newProxyInstance(
                RawPool.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        if (!gone[0]) {
                            gone[0] = true;
                            giveBack(connection);
                        }
                        return null;
                    }
                    if (method.getName().equals("abort")) {
                        gone[0] = true;
                        forget(connection);
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private synchronized void giveBack(Connection connection) {
        idle.push(connection);
    }

    private synchronized void forget(Connection connection) {
        all.remove(connection);
        aborted++;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("nothing is wrapped");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
