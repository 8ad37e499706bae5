package dev.holdfast.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A pool that has no connection as long as the test says so. Thread-safe. */
final class GatedDataSource {
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private final DataSource gated;

    GatedDataSource(DataSource real) {
        this.gated = (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        waiting.incrementAndGet();
                        gate.await();
                        waiting.decrementAndGet();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    DataSource dataSource() {
        return gated;
    }

    void shut() {
        gate = new CountDownLatch(1);
    }

    void open() {
        gate.countDown();
    }

    /** {@return how many want a connection and have none} */
    int waiting() {
        return waiting.get();
    }
}
