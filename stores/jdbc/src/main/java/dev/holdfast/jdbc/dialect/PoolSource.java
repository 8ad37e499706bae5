package dev.holdfast.jdbc.dialect;

import dev.holdfast.StoreMisconfiguredException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Borrows connections from the user's data source.
 *
 * @param dataSource the data source
 */
public record PoolSource(DataSource dataSource) implements ConnectionSource {
    private static final int MOST_CAUSES = 10;
    private static final String TRANSACTION_AWARE =
            "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy";

    @Override
    public Connection connect() throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (SQLException failed) {
            refuseIfClosed();
            throw failed;
        } catch (RuntimeException failed) {
            refuseIfClosed();
            // Some pools start with the first connection, and wrap what the driver has thrown.
            Throwable cause = failed.getCause();
            for (int depth = 0; depth < MOST_CAUSES && cause != null; depth++) {
                if (cause instanceof SQLException failure) {
                    throw failure;
                }
                cause = cause.getCause();
            }
            throw failed;
        }
    }

    /** A pool that was closed will never lend a connection again, so that nobody has to wait for it. */
    private void refuseIfClosed() {
        if (Boolean.TRUE.equals(read(dataSource, "isClosed"))) {
            throw new StoreMisconfiguredException("the DataSource was closed before Holdfast; close it after Holdfast");
        }
    }

    /** Pools tell their URL under one of three names. */
    @Override
    public Optional<String> knownUrl() {
        for (String getter : List.of("getJdbcUrl", "getUrl", "getURL")) {
            if (read(dataSource, getter) instanceof String url) {
                return Optional.of(url);
            }
        }
        return Optional.empty();
    }

    /**
     * Refuses a data source that hands out the connection of the caller's transaction: the lock would be committed or
     * rolled back with it, and the transaction with the lock.
     *
     * @param dataSource what the user gave
     * @throws StoreMisconfiguredException if it is known to be one
     */
    public static void refuseIfPartOfTransactions(DataSource dataSource) {
        Object current = dataSource;
        for (int depth = 0; depth < MOST_CAUSES && current != null; depth++) {
            for (Class<?> type = current.getClass(); type != null; type = type.getSuperclass()) {
                if (type.getName().equals(TRANSACTION_AWARE)) {
                    throw new StoreMisconfiguredException("the DataSource is a TransactionAwareDataSourceProxy, which"
                            + " hands out the connection of the caller's transaction; give the pool behind it"
                            + " (getTargetDataSource())");
                }
            }
            current = read(current, "getTargetDataSource");
        }
    }

    private static @Nullable Object read(Object bean, String getter) {
        try {
            Method method = bean.getClass().getMethod(getter);
            return Modifier.isPublic(method.getDeclaringClass().getModifiers()) ? method.invoke(bean) : null;
        } catch (ReflectiveOperationException | RuntimeException untold) {
            return null;
        }
    }

    @Override
    public boolean isShared() {
        return true;
    }
}
