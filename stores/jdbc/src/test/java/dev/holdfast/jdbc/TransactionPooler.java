package dev.holdfast.jdbc;

import dev.holdfast.jdbc.dialect.Dialect;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * What PgBouncer does in transaction mode: a connection has a session of the server for one transaction, and each gets the
 * one that was idle for longest. So no connection has the same session twice in a row. Thread-safe.
 */
final class TransactionPooler implements AutoCloseable {
    private final List<Connection> sessions = new ArrayList<>();
    private final BlockingQueue<Connection> idle;
    private final AtomicBoolean losesRollbacks = new AtomicBoolean();

    TransactionPooler(DialectServers servers, Dialect dialect, int size) throws SQLException, InterruptedException {
        for (int i = 0; i < size; i++) {
            sessions.add(servers.connect(dialect));
        }
        this.idle = new ArrayBlockingQueue<>(size, true, sessions);
    }

    DataSource dataSource() {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            if (method.getName().equals("getConnection")) {
                return proxy(Connection.class, new Client()::call);
            }
            return ofObject(proxy, method, arguments);
        });
    }

    /** The next answer to a rollback gets lost on its way from the pooler, who has done it. */
    void loseTheNextRollback() {
        losesRollbacks.set(true);
    }

    /** {@return whether none of the sessions was ended by somebody} */
    boolean allLive() throws SQLException {
        for (Connection session : sessions) {
            if (!session.isValid(5)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws SQLException {
        for (Connection session : sessions) {
            session.close();
        }
    }

    /** A client's connection to the pooler; used by one thread at a time. */
    private final class Client {
        private boolean autoCommit = true;
        private boolean closed;

        /** Of the transaction that is open; null between transactions. */
        private Connection session;

        Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
            switch (method.getName()) {
                case "getAutoCommit":
                    return autoCommit;
                case "setAutoCommit":
                    end(true);
                    autoCommit = (boolean) arguments[0];
                    return null;
                case "commit", "rollback":
                    end(method.getName().equals("commit"));
                    return null;
                case "isClosed":
                    return closed;
                case "close", "abort":
                    closed = true;
                    end(false);
                    return null;
                case "getNetworkTimeout":
                    return 0;
                case "setNetworkTimeout":
                    return null;
                case "getMetaData", "getTransactionIsolation":
                    return invoke(method, sessions.get(0), arguments);
                case "unwrap":
                    throw new SQLException("hidden");
                case "createStatement", "prepareStatement":
                    return statement(method, arguments);
                default:
                    return ofObject(proxy, method, arguments);
            }
        }

        private Object statement(Method method, Object[] arguments) throws Throwable {
            if (closed) {
                throw new SQLException("closed", "08003");
            }
            if (autoCommit) {
                Connection once = idle.take();
                Statement statement = (Statement) invoke(method, once, arguments);
                AtomicBoolean over = new AtomicBoolean();
                return proxy(method.getReturnType(), (proxy, asked, values) -> {
                    Object answer = invoke(asked, statement, values);
                    if (asked.getName().equals("close") && over.compareAndSet(false, true)) {
                        idle.add(once);
                    }
                    return answer;
                });
            }
            if (session == null) {
                session = idle.take();
                session.setAutoCommit(false);
            }
            return invoke(method, session, arguments);
        }

        private void end(boolean commits) throws SQLException {
            Connection done = session;
            session = null;
            if (done == null) {
                return;
            }
            try {
                if (commits) {
                    done.commit();
                } else {
                    done.rollback();
                }
                done.setAutoCommit(true);
            } finally {
                idle.add(done);
            }
            if (!commits && losesRollbacks.compareAndSet(true, false)) {
                throw new SQLException("the answer was lost", "08006");
            }
        }
    }

    private static Object ofObject(Object proxy, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> proxy == arguments[0];
            case "toString" -> "TransactionPooler";
            default -> throw new UnsupportedOperationException(method.toString());
        };
    }

    private static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(TransactionPooler.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
