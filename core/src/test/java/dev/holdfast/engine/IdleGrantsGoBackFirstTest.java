package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that keeps an idle grant gives it back before it asks for something that the grant stands in the way of. */
@Timeout(60)
class IdleGrantsGoBackFirstTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Longer than the limit of a test: what is freed in time was not freed by its lease. */
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(2));

    private static final LockOptions KEPT = OPTIONS.withStickyFor(Duration.ofMinutes(1));
    private static final LockOptions KEPT_FOR_A_MOMENT = OPTIONS.withStickyFor(Duration.ofMillis(300));
    private static final int RUNS = 50;
    private static final Duration TIMEOUT = Duration.ofMillis(800);

    /** Well below what two requests take one after the other, and well above one command timeout. */
    private static final Duration BUDGET = TIMEOUT.multipliedBy(8).dividedBy(5);

    /** What is asked for while a grant of the same name is kept. */
    private enum Asked {
        READ_LOCK((locks, name) -> locks.readWriteLock(name, OPTIONS).readLock().acquireAsync()),
        READ_LOCK_WITHOUT_WAITING(
                (locks, name) -> locks.readWriteLock(name, OPTIONS).readLock().tryAcquireAsync(Duration.ZERO)),
        SEVERAL_NAMES((locks, name) ->
                locks.all(List.of(name, name + "/more"), OPTIONS).acquireAsync());

        private final BiFunction<Holdfast, String, CompletableFuture<?>> ask;

        Asked(BiFunction<Holdfast, String, CompletableFuture<?>> ask) {
            this.ask = ask;
        }

        void keep(Holdfast locks, String name, LockOptions options) throws InterruptedException {
            if (this == SEVERAL_NAMES) {
                locks.lock(name, options).acquire().close();
            } else {
                locks.readWriteLock(name, options).writeLock().acquire().close();
            }
        }

        /** Asks and gives up at once; what was granted before that is the caller's, who releases it. */
        void askAndCancel(Holdfast locks, String name) {
            CompletableFuture<?> asked = ask.apply(locks, name);
            if (!asked.cancel(false)) {
                Object granted = asked.join();
                if (granted instanceof Optional<?> found) {
                    found.ifPresent(lease -> ((Lease) lease).close());
                } else {
                    ((Lease) granted).close();
                }
            }
        }
    }

    private enum Kept {
        FOR_A_TIME(DelegatingStore::new),
        FOR_A_SESSION(SessionStore::new);

        private final BiFunction<String, StoreContext, DelegatingStore> store;

        Kept(BiFunction<String, StoreContext, DelegatingStore> store) {
            this.store = store;
        }

        StoreFactory named(String name) {
            return context -> store.apply(name, context);
        }
    }

    @ParameterizedTest
    @EnumSource(Asked.class)
    void aCancelledWaitDoesNotLoseTheIdleGrantThatItWasToGiveBack(Asked asked) throws InterruptedException {
        for (Kept kept : Kept.values()) {
            String memory = "idle-cancelled-" + asked + kept;
            try (Holdfast other = Holdfast.connect("memory:" + memory);
                    Holdfast locks =
                            Holdfast.builder().store(kept.named(memory)).build()) {
                for (int i = 0; i < RUNS; i++) {
                    asked.keep(locks, "n" + i, KEPT_FOR_A_MOMENT);
                    asked.askAndCancel(locks, "n" + i);
                }
                await().atMost(LIMIT)
                        .untilAsserted(() -> assertThat(other.list("", RUNS))
                                .as("what is held %s although nobody wants it", kept)
                                .isEmpty());
            }
        }
    }

    /** With a grant lost, closing would wait for it for a whole command timeout, in vain. */
    @ParameterizedTest
    @EnumSource(Asked.class)
    void closingAfterACancelledWaitIsQuickAndLeavesNothing(Asked asked) throws InterruptedException {
        Duration timeout = Duration.ofSeconds(3);
        for (Kept kept : Kept.values()) {
            String memory = "idle-closed-" + asked + kept;
            try (Holdfast other = Holdfast.connect("memory:" + memory)) {
                Holdfast locks = Holdfast.builder()
                        .commandTimeout(timeout)
                        .store(kept.named(memory))
                        .build();
                for (int i = 0; i < RUNS; i++) {
                    asked.keep(locks, "n" + i, KEPT);
                    asked.askAndCancel(locks, "n" + i);
                }
                long before = System.nanoTime();
                locks.close();
                assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(timeout);
                assertThat(other.list("", RUNS)).as("left by a client %s", kept).isEmpty();
            }
        }
    }

    /** Each request is answered just within the command timeout, so there is no time for a second one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void givingIdleGrantsBackStaysWithinOneCommandTimeout(int idle) throws InterruptedException {
        AtomicBoolean slow = new AtomicBoolean();
        try (Holdfast locks = Holdfast.builder()
                .commandTimeout(TIMEOUT)
                .store(context -> new Far("idle-budget-" + idle, context, slow))
                .build()) {
            String[] names = new String[idle];
            for (int i = 0; i < idle; i++) {
                names[i] = "n" + i;
                locks.lock(names[i], KEPT).acquire().close();
            }
            slow.set(true);
            long before = System.nanoTime();
            assertThatThrownBy(() -> (idle > 1 ? locks.all(names) : locks.lock(names[0])).tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(BUDGET);
            slow.set(false);
        }
    }

    private static final class Far extends DelegatingStore {
        private final AtomicBoolean slow;

        Far(String name, StoreContext context, AtomicBoolean slow) {
            super(name, context);
            this.slow = slow;
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            takeTime();
            return super.tryAcquire(claim);
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            takeTime();
            return super.release(grants);
        }

        private void takeTime() {
            if (slow.get()) {
                takeMillis(TIMEOUT.multipliedBy(9).dividedBy(10).toMillis());
            }
        }
    }
}
