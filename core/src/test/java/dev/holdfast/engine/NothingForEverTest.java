package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Where sessions decide, a store forgets nothing while the client lives. So a release or withdrawal that it does not
 * answer is repeated for as long as the outage lasts (P20), here on virtual time.
 */
@Timeout(60)
class NothingForEverTest {
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(15));

    /** Longer than any lease, tombstone or patience. */
    private static final Duration OUTAGE = Duration.ofMinutes(10);

    private static final Duration RECOVERY = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final AtomicReference<@Nullable SessionStore> opened = new AtomicReference<>();
    private final Holdfast other = time.open("other", context -> new SessionStore("for-ever", context));
    private final Holdfast locks = time.open("locks", context -> {
        opened.set(new SessionStore("for-ever", context));
        return store();
    });

    @AfterEach
    void close() {
        locks.close();
        other.close();
    }

    @Test
    void aReleaseReachesTheStoreHoweverLongItWasOut() {
        Lease lease = time.get(locks.lock("a", OPTIONS).acquireAsync());
        store().outage(true);
        lease.release();
        time.advance(OUTAGE);
        store().outage(false);
        time.advance(RECOVERY);
        assertThat(other.inspect("a")).as("who holds the released lock").isEmpty();
        assertThat(locks.lock("a", OPTIONS).tryAcquire()).isPresent();
    }

    @Test
    void aReleaseOfSeveralNamesReachesTheStoreHoweverLongItWasOut() {
        Lease lease = time.get(locks.all(List.of("a", "b"), OPTIONS).acquireAsync());
        store().outage(true);
        CompletableFuture<Boolean> released = lease.releaseAsync();
        time.advance(OUTAGE);
        store().outage(false);
        time.advance(RECOVERY);
        assertThat(released).isCompletedWithValue(true);
        assertThat(other.list("", 10)).as("what is held").isEmpty();
    }

    @Test
    void aWithdrawalReachesTheStoreHoweverLongItWasOut() {
        Lease held = time.get(other.lock("a", OPTIONS).acquireAsync());
        CompletableFuture<Optional<Lease>> wait = locks.lock("a", OPTIONS).tryAcquireAsync(Duration.ofSeconds(1));
        time.settle();
        assertThat(other.inspect("a").orElseThrow().waiters()).hasSize(1);
        store().outage(true);
        time.advance(OUTAGE);
        store().outage(false);
        time.advance(RECOVERY);
        assertThat(wait).isDone();
        assertThat(held.isHeld()).isTrue();
        assertThat(other.inspect("a").orElseThrow().waiters())
                .as("ghosts in line")
                .isEmpty();
    }

    private SessionStore store() {
        return Objects.requireNonNull(opened.get(), "store");
    }
}
