package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What an application leaves behind that ends. */
class ShutdownTest {
    private static final String DATABASE = "jdbc:h2:mem:shutdown;DB_CLOSE_DELAY=-1";

    @Test
    void locksAreGivenBackBeforeThePoolIsClosed() {
        AtomicReference<HikariDataSource> pool = new AtomicReference<>();
        AtomicReference<Lease> lease = new AtomicReference<>();
        Apps.withDatabase(Apps.bare(), DATABASE).run(context -> {
            pool.set(context.getBean(HikariDataSource.class));
            lease.set(
                    context.getBean(Holdfast.class).lock("orders").tryAcquire().orElseThrow());
        });
        assertThat(pool.get().isClosed()).isTrue();
        assertThat(lease.get().isHeld()).isFalse();
        // It would be taken for another half a minute if the pool had been closed first.
        try (Holdfast other = Holdfast.builder()
                        .url(DATABASE)
                        .credentials(Credentials.of("sa", ""))
                        .build();
                Lease next = other.lock("orders").tryAcquire().orElseThrow()) {
            assertThat(next.token()).isGreaterThan(lease.get().token());
        }
    }
}
