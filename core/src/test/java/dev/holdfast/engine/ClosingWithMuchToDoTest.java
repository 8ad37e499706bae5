package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.ClientClosedException;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing keeps its promises, to free everything and not to take long (P17, P18), while much else goes on. */
@Timeout(60)
class ClosingWithMuchToDoTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** What a test lets hang until it has seen what it wants. */
    private final CountDownLatch goOn = new CountDownLatch(1);

    private final CountDownLatch underWay = new CountDownLatch(1);

    /** More than there are threads for callbacks, so that some of them wait in line. */
    @Test
    void callbacksThatTakeLongDoNotHoldUpClose() throws InterruptedException {
        Duration timeout = Duration.ofMillis(500);
        int callbacks = 80;
        Holdfast locks =
                Holdfast.builder().url("memory:").commandTimeout(timeout).build();
        for (int i = 0; i < callbacks; i++) {
            locks.lock("l" + i).acquire().onLost(reason -> hang());
        }
        long before = System.nanoTime();
        locks.close();
        Duration took = Duration.ofNanos(System.nanoTime() - before);
        goOn.countDown();
        assertThat(took).isLessThan(timeout.multipliedBy(3));
    }

    /** The renewal, sent after a third of the lease, is answered only when the client closes. */
    @Test
    void aLeaseThatWasHeldForTooLongDuringItsRenewalIsGivenBack() throws InterruptedException {
        Duration lease = Duration.ofMillis(1_800);
        try (Holdfast other = Holdfast.connect("memory:closing-renewal")) {
            Holdfast locks = Holdfast.builder().store(SlowToAnswerRenewals::new).build();
            Lease held = locks.lock(
                            "a",
                            LockOptions.defaults()
                                    .withLeaseTime(lease)
                                    .withMaxHold(lease.multipliedBy(4).dividedBy(10)))
                    .acquire();
            await().atMost(LIMIT).until(() -> !held.isHeld());
            assertThat(underWay.getCount()).as("renewals to come").isZero();
            CompletableFuture<Void> closed = CompletableFuture.runAsync(locks::close);
            awaitClosing(locks);
            goOn.countDown();
            assertThat(closed).succeedsWithin(LIMIT);
            assertThat(other.inspect("a")).as("the lease that was lost").isEmpty();
        }
    }

    /** One after the other, or a few at a time, these withdrawals would take longer than closing may. */
    @Test
    void severalHundredWaitersAreWithdrawnFromAStoreThatIsFarAway() throws InterruptedException {
        int waiters = 600;
        try (Holdfast other = Holdfast.connect("memory:closing-waiters")) {
            Holdfast locks = Holdfast.builder().store(SlowToWithdraw::new).build();
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            for (int i = 0; i < waiters; i++) {
                held.add(other.lock("w" + i).acquire());
                waiting.add(locks.lock("w" + i).acquireAsync());
            }
            await().atMost(LIMIT).until(() -> waitersAt(other) == waiters);
            locks.close();
            assertThat(waitersAt(other)).as("waiters of a closed client").isZero();
            assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(held).allMatch(Lease::isHeld);
        }
    }

    private static long waitersAt(Holdfast store) {
        return store.list("w", 1_000).stream()
                .mapToLong(seen -> seen.waiters().size())
                .sum();
    }

    /** Many held leases make closing take a while, during which permits are asked for and granted. */
    @RepeatedTest(10)
    void whoAsksForPermitsWhileTheClientClosesIsToldSo() throws InterruptedException {
        Holdfast locks = Holdfast.builder().url("memory:").build();
        for (int i = 0; i < 300; i++) {
            Lease unused = locks.lock("held/" + i).acquire();
        }
        Queue<CompletableFuture<Lease>> futures = new ConcurrentLinkedQueue<>();
        AtomicInteger started = new AtomicInteger();
        CompletableFuture<Throwable> blocking = until(() ->
                locks.semaphore("b" + started.incrementAndGet(), 1).permits(1).acquire());
        CompletableFuture<Throwable> asynchronous = until(() -> futures.add(
                locks.semaphore("a" + started.incrementAndGet(), 1).permits(1).acquireAsync()));
        await().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> started.get() > 100);
        locks.close();
        assertThat(blocking).succeedsWithin(LIMIT).isInstanceOf(ClientClosedException.class);
        assertThat(asynchronous).succeedsWithin(LIMIT).isInstanceOf(ClientClosedException.class);
        await().atMost(LIMIT).until(() -> futures.stream().allMatch(CompletableFuture::isDone));
        assertThat(futures.stream()
                        .filter(CompletableFuture::isCompletedExceptionally)
                        .map(future ->
                                future.handle((lease, failure) -> failure).join()))
                .allMatch(failure -> failure instanceof ClientClosedException);
    }

    /** Does something again and again on a thread of its own; the future has what it failed with in the end. */
    private static CompletableFuture<Throwable> until(Step step) {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    step.run();
                }
            } catch (InterruptedException | RuntimeException | Error failure) {
                end.complete(failure);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    @Test
    void anInterruptedSecondCloseReturnsWhenEverythingIsFree() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:closing-twice")) {
            Holdfast locks = Holdfast.builder().store(SlowToRelease::new).build();
            Lease unused = locks.lock("a").acquire();
            CompletableFuture<Void> first = CompletableFuture.runAsync(locks::close);
            assertThat(underWay.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            AtomicInteger heldAfterwards = new AtomicInteger(-1);
            CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
            Thread second = new Thread(() -> {
                locks.close();
                heldAfterwards.set(other.list("", 10).size());
                stillInterrupted.complete(Thread.currentThread().isInterrupted());
            });
            second.start();
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(LIMIT)
                    .until(() -> second.getState() == Thread.State.TIMED_WAITING);
            second.interrupt();
            // Time enough to return too early; the release goes on after it.
            second.join(200);
            goOn.countDown();
            assertThat(first).succeedsWithin(LIMIT);
            assertThat(stillInterrupted).succeedsWithin(LIMIT).isEqualTo(true);
            assertThat(heldAfterwards).hasValue(0);
        }
    }

    private static void awaitClosing(Holdfast locks) {
        await().pollInterval(Duration.ofMillis(1)).atMost(LIMIT).until(() -> {
            try {
                locks.lock("any");
                return false;
            } catch (ClientClosedException closing) {
                return true;
            }
        });
    }

    private void hang() {
        underWay.countDown();
        try {
            assertThat(goOn.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private final class SlowToAnswerRenewals extends DelegatingStore {
        SlowToAnswerRenewals(StoreContext context) {
            super("closing-renewal", context);
        }

        @Override
        public List<RenewOutcome> renew(List<Grant> grants) {
            List<RenewOutcome> outcomes = super.renew(grants);
            hang();
            return outcomes;
        }
    }

    private final class SlowToRelease extends DelegatingStore {
        SlowToRelease(StoreContext context) {
            super("closing-twice", context);
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            hang();
            return super.release(grants);
        }
    }

    private static final class SlowToWithdraw extends DelegatingStore {
        SlowToWithdraw(StoreContext context) {
            super("closing-waiters", context);
        }

        @Override
        public void withdraw(Claim claim, boolean mayStillArrive) {
            takeMillis(20);
            super.withdraw(claim, mayStillArrive);
        }
    }
}
