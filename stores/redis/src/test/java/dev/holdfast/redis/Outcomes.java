package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what must come. */
public final class Outcomes {
    private static final long PATIENCE_SECONDS = 30;

    private Outcomes() {}

    public static <T> T of(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError("the future failed", failed.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("the future is not complete after " + PATIENCE_SECONDS + " s", late);
        }
    }

    /** Waits for longer than a lease lasts that nobody renews, and sees that it is held. */
    public static void outlives(Lease lease, LockOptions options) {
        long begin = System.nanoTime();
        await("longer than the lease lasts without a renewal")
                .atMost(Duration.ofSeconds(60))
                .until(() -> System.nanoTime() - begin > options.leaseTime().toNanos());
        assertThat(lease.isHeld()).as("it is renewed").isTrue();
    }
}
