package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.util.Throwables;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** A data source, or a function that tells the password, that fails in a way of its own for a while. */
final class FailingSourceTest {
    private static final String SECRET = "open sesame";
    private static final long PATIENCE_SECONDS = 60;

    /** Fails as long as it is told to, and counts that. */
    private static final class Failing {
        private final JdbcDataSource real = new JdbcDataSource();
        private final AtomicInteger failures = new AtomicInteger();
        private volatile boolean fails;

        Failing(String url) {
            real.setURL(url);
        }

        DataSource dataSource() {
            return (DataSource) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> {
                        if (fails) {
                            failures.incrementAndGet();
                            throw new IllegalStateException("no tenant at " + SECRET);
                        }
                        return method.invoke(real, arguments);
                    });
        }
    }

    @Test
    void poolThatFailsInAWayOfItsOwnIsUnavailable() {
        Failing source = new Failing("jdbc:h2:mem:failing;DB_CLOSE_DELAY=-1");
        try (Holdfast locks = connect(source.dataSource())) {
            source.fails = true;
            assertThatThrownBy(() -> locks.inspect("name")).isInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> locks.lock("name").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasStackTraceContaining("IllegalStateException")
                    .satisfies(thrown ->
                            assertThat(Throwables.getStackTrace(thrown)).doesNotContain(SECRET));
            source.fails = false;
            assertThat(locks.lock("name").tryAcquire()).isPresent();
        }
    }

    @Test
    void waiterOutlivesAPoolThatFailsForAWhile() throws ExecutionException, InterruptedException, TimeoutException {
        String url = "jdbc:h2:mem:failing-waited;DB_CLOSE_DELAY=-1";
        Failing source = new Failing(url);
        try (Holdfast locks = connect(source.dataSource());
                Holdfast rival = Holdfast.connect(url)) {
            Lease held = rival.lock("waited-for").acquire();
            CompletableFuture<Lease> waiting = locks.lock("waited-for").acquireAsync();
            Awaitility.await()
                    .until(() -> rival.inspect("waited-for")
                            .filter(view -> view.waiters().size() == 1)
                            .isPresent());
            source.fails = true;
            source.failures.set(0);
            held.close();
            Awaitility.await().until(() -> source.failures.get() > 2);
            source.fails = false;

            assertThat(waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS).isHeld()).isTrue();
        }
    }

    @Test
    void functionForThePasswordThatFailsIsUnavailable() {
        JdbcStore store = JdbcStore.at("jdbc:h2:mem:", FailingSourceTest::noCredentials);
        assertThatThrownBy(() -> Holdfast.builder().store(store).build()).isInstanceOf(StoreUnavailableException.class);
    }

    private static Credentials noCredentials() {
        throw new IllegalStateException("the token service is down");
    }

    private static Holdfast connect(DataSource source) {
        return Holdfast.builder().store(JdbcStore.on(source)).build();
    }
}
