package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No call takes longer than its own wait plus one command timeout, whatever is broken (P17). */
@Timeout(60)
class BudgetTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final LockOptions OPTIONS = LockOptions.defaults();

    private static final Duration TIMEOUT = Duration.ofMillis(800);

    /** Well below the two timeouts that two calls in a row take, and well above one, for slow machines. */
    private static final Duration BUDGET = TIMEOUT.multipliedBy(8).dividedBy(5);

    /** So many calls of this many milliseconds take several seconds on any number of threads that a client has. */
    private static final int DEAD_NAMES = 500;

    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(100);

    private final AtomicReference<@Nullable SilentStore> opened = new AtomicReference<>();
    private @Nullable Holdfast client;

    /** Locks whose attempt was made of two calls to the store, one after the other. */
    private enum Asked {
        READ_LOCK(locks -> locks.readWriteLock("a").readLock()),
        PERMIT(locks -> locks.semaphore("a", 3).permits(1)),
        SEVERAL_NAMES(locks -> locks.all("a", "b")),
        LOCK_KEPT_FOR_OTHER_OPTIONS(locks -> locks.lock("sticky", OPTIONS.withLabel("other")));

        private final Function<Holdfast, DistributedLock> lock;

        Asked(Function<Holdfast, DistributedLock> lock) {
            this.lock = lock;
        }
    }

    @AfterEach
    void healAndClose() {
        store().heal();
        Objects.requireNonNull(client, "client").close();
    }

    @ParameterizedTest
    @EnumSource(Asked.class)
    void aShortWaitOnASilentStoreTakesOneCommandTimeoutAtMost(Asked asked) throws InterruptedException {
        Duration wait = Duration.ofMillis(50);
        Holdfast locks = connect("budget-wait", TIMEOUT);
        locks.lock("sticky", OPTIONS.withStickyFor(LIMIT)).acquire().close();
        store().silence(name -> true);
        DistributedLock lock = asked.lock.apply(locks);
        long before = System.nanoTime();
        assertThatThrownBy(() -> lock.tryAcquire(wait)).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(wait.plus(BUDGET));
    }

    /** Whoever waits for the first answer, in order not to say "cannot tell" too early, does not wait for a second one. */
    @ParameterizedTest
    @EnumSource(
            value = Asked.class,
            names = {"READ_LOCK", "LOCK_KEPT_FOR_OTHER_OPTIONS"})
    void aShortAsynchronousWaitTakesOneCommandTimeoutAtMost(Asked asked) throws InterruptedException {
        Duration wait = Duration.ofMillis(50);
        Holdfast locks = connect("budget-async", TIMEOUT);
        locks.lock("sticky", OPTIONS.withStickyFor(LIMIT)).acquire().close();
        store().silence(name -> true);
        CompletableFuture<Optional<Lease>> outcome = asked.lock.apply(locks).tryAcquireAsync(wait);
        assertThat(outcome)
                .failsWithin(wait.plus(BUDGET))
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void aSingleTryThatHasToReleaseFirstTakesOneCommandTimeoutAtMost() throws InterruptedException {
        Holdfast locks = connect("budget-try", TIMEOUT);
        locks.lock("a", OPTIONS.withStickyFor(LIMIT)).acquire().close();
        store().silence(name -> true);
        long before = System.nanoTime();
        assertThatThrownBy(() -> locks.lock("a").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(BUDGET);
    }

    /** Each wait that ends owes the store a withdrawal, which its member does not answer. */
    @Test
    void withdrawalsFromASilentMemberDoNotDelayAnAcquireElsewhere() throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:budget-withdraw")) {
            Holdfast locks = connect("budget-withdraw", SHORT_TIMEOUT);
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < DEAD_NAMES; i++) {
                held.add(holder.lock("dead/" + i).acquire());
                waiting.add(locks.lock("dead/" + i).acquireAsync());
            }
            await().atMost(LIMIT)
                    .until(() -> holder.list("dead/", DEAD_NAMES).stream()
                            .noneMatch(seen -> seen.waiters().isEmpty()));
            store().silence(name -> name.startsWith("dead/"));
            waiting.forEach(wait -> wait.cancel(false));
            assertHealthy(locks);
            assertThat(held).allMatch(Lease::isHeld);
        }
    }

    /** An attempt that nobody waits for any more need not be made. */
    @Test
    void attemptsAtASilentMemberThatNobodyWaitsForDoNotDelayAnAcquireElsewhere() {
        Holdfast locks = connect("budget-attempts", SHORT_TIMEOUT);
        store().silence(name -> name.startsWith("dead/"));
        List<CompletableFuture<Optional<Lease>>> waiting = new ArrayList<>();
        for (int i = 0; i < DEAD_NAMES; i++) {
            waiting.add(locks.lock("dead/" + i).tryAcquireAsync(Duration.ofMillis(50)));
        }
        await().atMost(LIMIT).until(() -> waiting.stream().allMatch(CompletableFuture::isDone));
        assertHealthy(locks);
    }

    private static void assertHealthy(Holdfast locks) {
        long before = System.nanoTime();
        CompletableFuture<Lease> healthy = locks.lock("healthy").acquireAsync();
        assertThat(healthy).succeedsWithin(LIMIT);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_TIMEOUT.multipliedBy(10));
    }

    private Holdfast connect(String memory, Duration commandTimeout) {
        Holdfast locks = Holdfast.builder()
                .commandTimeout(commandTimeout)
                .store(context -> {
                    SilentStore store = new SilentStore(memory, context);
                    opened.set(store);
                    return store;
                })
                .build();
        client = locks;
        return locks;
    }

    private SilentStore store() {
        return Objects.requireNonNull(opened.get(), "store");
    }
}
