package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.ClientClosedException;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** After {@code close()} has returned, on whatever thread, every lock of the client is free at the store (P18). */
@Timeout(60)
class ClosingFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int LOCKS = 50;

    /** Where user code is when it closes the client. */
    private enum Callback {
        LISTENER,
        LOSS,
        FUTURE
    }

    @ParameterizedTest
    @EnumSource(Callback.class)
    void closingFromACallbackOfTheClientReleasesEverything(Callback callback) throws InterruptedException {
        AtomicReference<@Nullable Holdfast> closing = new AtomicReference<>();
        CompletableFuture<Integer> stillHeld = new CompletableFuture<>();
        try (Holdfast other = Holdfast.connect("memory:closing-callback")) {
            Runnable close = () -> {
                Holdfast client = closing.getAndSet(null);
                if (client != null) {
                    client.close();
                    stillHeld.complete(other.list("held/", LOCKS).size());
                }
            };
            HoldfastBuilder builder = Holdfast.builder().store(SlowToRelease::new);
            if (callback == Callback.LISTENER) {
                builder.listener(event -> {
                    if (event instanceof HoldfastEvent.Lost) {
                        close.run();
                    }
                });
            }
            Holdfast locks = builder.build();
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < LOCKS; i++) {
                held.add(locks.lock("held/" + i).acquire());
            }
            Lease trigger = locks.lock("trigger").acquire();
            closing.set(locks);
            if (callback == Callback.LOSS) {
                trigger.onLost(reason -> close.run());
            }
            if (callback == Callback.FUTURE) {
                CompletableFuture<Void> unused = locks.lock(
                                "trigger", LockOptions.defaults().withLabel("next"))
                        .acquireAsync()
                        .thenAccept(lease -> close.run());
                trigger.close();
            } else {
                other.evict("trigger", "test");
            }
            assertThat(stillHeld)
                    .as("how many of %s locks are held after close() has returned", LOCKS)
                    .succeedsWithin(LIMIT)
                    .isEqualTo(0);
            assertThat(held).noneMatch(Lease::isHeld);
        }
    }

    /** The last of these failures leaves the next attempt for later than it takes to close. */
    @Test
    void aReleaseThatWaitsForItsBackoffIsMadeByClose() throws InterruptedException {
        int failures = 5;
        AtomicInteger attempts = new AtomicInteger();
        try (Holdfast other = Holdfast.connect("memory:closing-backoff")) {
            Holdfast locks = Holdfast.builder()
                    .store(context -> new FailsToRelease("closing-backoff", context, attempts, failures))
                    .build();
            locks.lock("a").acquire().close();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(LIMIT)
                    .until(() -> attempts.get() >= failures);
            locks.close();
            assertThat(other.list("", 10)).as("what is still held").isEmpty();
        }
    }

    /** The same, but the first failure comes while the client closes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aReleaseThatFailsWhileTheClientClosesIsRepeated(int failures) throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        try (Holdfast other = Holdfast.connect("memory:closing-failure")) {
            Holdfast locks = Holdfast.builder()
                    .store(context -> new FailsToRelease("closing-failure", context, attempts, failures))
                    .build();
            Lease lease = locks.lock("a").acquire();
            locks.close();
            assertThat(lease.isHeld()).isFalse();
            assertThat(other.list("", 10)).as("what is still held").isEmpty();
        }
    }

    @Test
    void aClosedClientMakesNoLocksOfAnyKind() {
        Holdfast locks = Holdfast.connect("memory:");
        locks.close();
        assertThatThrownBy(() -> locks.lock("a")).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> locks.all("a", "b")).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> locks.readWriteLock("a")).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> locks.election("a")).isInstanceOf(ClientClosedException.class);
        assertThatThrownBy(() -> locks.semaphore("a", 2)).isInstanceOf(ClientClosedException.class);
    }

    /** As far away as most servers are. */
    private static final class SlowToRelease extends DelegatingStore {
        SlowToRelease(StoreContext context) {
            super("closing-callback", context);
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            takeMillis(20);
            return super.release(grants);
        }
    }

    private static final class FailsToRelease extends DelegatingStore {
        private final AtomicInteger attempts;
        private final int failures;

        FailsToRelease(String name, StoreContext context, AtomicInteger attempts, int failures) {
            super(name, context);
            this.attempts = attempts;
            this.failures = failures;
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            if (attempts.getAndIncrement() < failures) {
                throw new StoreUnavailableException("release", grants.get(0).name(), null);
            }
            return super.release(grants);
        }
    }
}
