package dev.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** A data source that notes the text of every statement that is executed, and everything else that may cost a round trip. */
final class CountingDataSource {
    private final Queue<String> statements = new ConcurrentLinkedQueue<>();
    private final DataSource counted;

    CountingDataSource(DataSource real) {
        this.counted = wrap(DataSource.class, real, "");
    }

    DataSource dataSource() {
        return counted;
    }

    void forget() {
        statements.clear();
    }

    Collection<String> statements() {
        return statements;
    }

    private <T> T wrap(Class<T> type, Object target, String text) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> call(target, text, method, args)));
    }

    private Object call(Object target, String text, Method method, Object[] args) throws Throwable {
        if (target instanceof Statement && method.getName().startsWith("execute")) {
            statements.add(args != null && args.length > 0 && args[0] instanceof String sql ? sql : text);
        }
        if (target instanceof Connection) {
            boolean travels = method.getName().matches("commit|rollback|setAutoCommit|setTransactionIsolation|isValid");
            if (travels) {
                statements.add(method.getName());
            }
        }
        Object result;
        try {
            result = method.invoke(target, args);
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
        if (result instanceof Connection && !method.getName().equals("unwrap")) {
            return wrap(Connection.class, result, "");
        }
        if (result instanceof PreparedStatement) {
            return wrap(PreparedStatement.class, result, (String) args[0]);
        }
        return result instanceof Statement ? wrap(Statement.class, result, "") : result;
    }
}
