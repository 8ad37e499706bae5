package dev.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A driver whose URLs are {@code jdbc:pretended-galera:} and a URL of MariaDB. Behind it is that one server, which answers
 * the question for its variables as a node of Galera does, and every other question as it is.
 */
final class PretendedGalera implements Driver {
    static final String PREFIX = "jdbc:pretended-galera:";

    private static final String ANSWER =
            "SELECT 'wsrep_on', 'ON' UNION ALL SELECT 'wsrep_provider'," + " '/usr/lib/galera/libgalera_smm.so'";

    /** Wraps a connection to MariaDB. */
    static Connection of(Connection real) {
        return wrap(Connection.class, real);
    }

    /** Wraps a pool of connections to MariaDB. */
    static DataSource of(DataSource real) {
        return wrap(DataSource.class, real);
    }

    private static <T> T wrap(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                PretendedGalera.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(target, method, arguments)));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        boolean asked = target instanceof Statement
                && arguments != null
                && arguments[0] instanceof String sql
                && sql.startsWith("SHOW VARIABLES");
        Object result;
        try {
            result = method.invoke(target, asked ? new Object[] {ANSWER} : arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        if (method.getName().equals("getConnection")) {
            return target instanceof DataSource ? of((Connection) result) : result;
        }
        return method.getName().equals("createStatement") ? wrap(Statement.class, result) : result;
    }

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
        return acceptsURL(url)
                ? of(DriverManager.getConnection("jdbc:" + url.substring(PREFIX.length()), properties))
                : null;
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}
