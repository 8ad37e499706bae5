package dev.holdfast.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a caller's work gets to see of a connection: all of it but the means to end the transaction, because what was
 * checked or locked in it would not protect what comes after.
 */
final class LentConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of(
            "commit", "close", "abort", "setAutoCommit", "setTransactionIsolation", "beginRequest", "endRequest");

    private final Connection connection;
    private final String owner;

    private LentConnection(Connection connection, String owner) {
        this.connection = connection;
        this.owner = owner;
    }

    static Connection of(Connection connection, String owner) {
        return (Connection) Proxy.newProxyInstance(
                LentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new LentConnection(connection, owner));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        // Going back to a savepoint stays within the transaction.
        boolean rollsBackAll = method.getName().equals("rollback") && method.getParameterCount() == 0;
        if (rollsBackAll || REFUSED.contains(method.getName())) {
            throw new IllegalStateException("the transaction is the " + owner + "'s to end, so the work must not call "
                    + method.getName() + "(): return to commit, throw to roll back");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }
}
