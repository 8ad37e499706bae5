package dev.holdfast.jdbc.dialect;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A connection for several statements of one call. Before each of them the silence that is allowed is cut to what is left
 * of the call's time, so that their delays cannot add up to much more than one command timeout. Work of a single statement
 * does without.
 */
final class BoundedConnection implements InvocationHandler {
    private final Visit visit;
    private final CallBudget budget;

    private BoundedConnection(Visit visit, CallBudget budget) {
        this.visit = visit;
        this.budget = budget;
    }

    static Connection of(Visit visit, CallBudget budget) {
        return (Connection) Proxy.newProxyInstance(
                BoundedConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new BoundedConnection(visit, budget));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (startsTrip(method.getName())) {
            visit.limitSilence(budget.allowedSilenceMillis());
        }
        try {
            return method.invoke(visit.connection(), arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** Statements are made one at a time, each just before it is executed. */
    private static boolean startsTrip(String method) {
        return switch (method) {
            case "prepareStatement", "createStatement", "commit", "rollback", "setAutoCommit" -> true;
            default -> false;
        };
    }
}
