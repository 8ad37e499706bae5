package dev.holdfast.jdbc.dialect;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an H2 server, with the two things that H2's driver ignores: a network timeout that can be changed, and
 * {@code abort}. Whatever asks the server is done on a thread of the connection, for which nobody waits longer than the
 * timeout. After that the connection is closed; what was asked may still be done. Reading a row is not bounded, because
 * rows come with the answer. Used by one thread at a time.
 *
 * <p>The driver forgets its socket when the server was silent for long, and leaves it open. The server then keeps the
 * session with its transaction, and everybody else from the rows in it, until this process collects its garbage. So the
 * socket is closed here.
 */
final class H2Connection implements InvocationHandler {
    private final Connection connection;
    private final Optional<Socket> socket;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "holdfast-jdbc-h2");
        thread.setDaemon(true);
        return thread;
    });
    private volatile int timeoutMillis;
    private volatile boolean closed;

    private H2Connection(Connection connection, int timeoutMillis) {
        this.connection = connection;
        this.socket = socketOf(connection);
        this.timeoutMillis = timeoutMillis;
    }

    static boolean isNeededFor(String url) {
        return url.startsWith("jdbc:h2:tcp:") || url.startsWith("jdbc:h2:ssl:");
    }

    static Connection of(Connection connection, int timeoutMillis) {
        return proxy(Connection.class, new H2Connection(connection, timeoutMillis));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            case "setNetworkTimeout":
                timeoutMillis = arguments == null ? timeoutMillis : (int) arguments[1];
                return null;
            case "getNetworkTimeout":
                return timeoutMillis;
            case "isClosed":
                return closed || connection.isClosed();
            case "abort":
                end();
                return null;
            case "close":
                return close();
            default:
                Object result = ask(() -> call(connection, method, arguments));
                return result instanceof Statement statement ? bounded(statement, method.getReturnType()) : result;
        }
    }

    /** Only what is asked of the server takes the way over the thread; values are bound here. */
    private Object bounded(Statement statement, Class<?> type) {
        return proxy(type, (proxy, method, arguments) -> {
            String name = method.getName();
            boolean asks = name.startsWith("execute") || name.equals("close") || name.equals("getMoreResults");
            if (name.equals("close") && closed) {
                return null;
            }
            return asks ? ask(() -> call(statement, method, arguments)) : call(statement, method, arguments);
        });
    }

    private @Nullable Object ask(Callable<@Nullable Object> question) throws Exception {
        Future<@Nullable Object> answer;
        try {
            answer = worker.submit(question);
        } catch (RejectedExecutionException late) {
            throw new SQLTransientConnectionException("the connection is closed", "08003", late);
        }
        boolean interrupted = Thread.interrupted();
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        try {
            while (true) {
                try {
                    return answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException again) {
                    interrupted = true;
                } catch (TimeoutException silent) {
                    end();
                    throw new SQLTransientConnectionException("the server was silent for the timeout", "08S01", silent);
                } catch (ExecutionException failed) {
                    throw thrown(failed.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private @Nullable Object close() throws Exception {
        if (closed) {
            return null;
        }
        try {
            return ask(() -> {
                connection.close();
                return null;
            });
        } finally {
            end();
        }
    }

    /** Closes without waiting: to close a connection is to ask the server, which may be silent. */
    private void end() {
        if (!closed) {
            closed = true;
            socket.ifPresent(H2Connection::close);
            worker.execute(() -> {
                try {
                    connection.close();
                } catch (SQLException broken) {
                    // It is closed then, too.
                }
            });
            worker.shutdown();
        }
    }

    /** With a reset, so that nothing is waited for: neither what was not sent yet, nor a farewell of TLS. */
    private static void close(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException closedAlready) {
            // That is all that was wanted.
        }
    }

    /** By reflection, because drivers are the user's choice. Where it is built otherwise, the driver alone closes it. */
    private static Optional<Socket> socketOf(Connection connection) {
        try {
            Object session = connection.getClass().getMethod("getSession").invoke(connection);
            Field transfers = session.getClass().getDeclaredField("transferList");
            transfers.setAccessible(true);
            List<?> open = (List<?>) transfers.get(session);
            if (open == null || open.size() != 1) {
                return Optional.empty();
            }
            Object transfer = open.get(0);
            return Optional.ofNullable(
                    (Socket) transfer.getClass().getMethod("getSocket").invoke(transfer));
        } catch (ReflectiveOperationException | RuntimeException builtOtherwise) {
            return Optional.empty();
        }
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Exception {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown(thrown.getCause());
        }
    }

    private static Exception thrown(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception exception ? exception : new IllegalStateException(cause);
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(H2Connection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
