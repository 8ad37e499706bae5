package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.OneLockStore;
import dev.holdfast.engine.StoreCalls;
import dev.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of a client: what hangs does not hold up the rest, and closing waits for what has to be said. */
@Timeout(60)
final class ClientThreadsTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final LockStore store = new OneLockStore();
    private final ClientThreads threads = new ClientThreads("holdfast-threads", LIMIT, true, () -> store, null);
    private final StoreCalls calls = threads.surroundings().calls();

    @AfterEach
    void end() {
        threads.close();
    }

    @Test
    void answerThatComesWhileTheClientClosesCanStillGiveSomethingBack() throws InterruptedException {
        CountDownLatch underWay = new CountDownLatch(1);
        AtomicReference<Thread> closer = new AtomicReference<>();
        AtomicBoolean givenBack = new AtomicBoolean();
        calls.submit(
                StoreCalls.Lane.ORDINARY,
                () -> true,
                any -> {
                    underWay.countDown();
                    awaitWaiting(closer);
                    return true;
                },
                (sent, done, failure) -> calls.submit(
                        StoreCalls.Lane.CLEANUP,
                        () -> true,
                        any -> true,
                        (then, released, refused) -> givenBack.set(refused == null)));
        assertThat(underWay.await(30, TimeUnit.SECONDS)).isTrue();
        closer.set(Thread.currentThread());
        calls.finish(givenBack::get, threads.clock().nanos() + LIMIT.toNanos());

        assertThat(givenBack).isTrue();
    }

    @Test
    void callsThatHangDoNotHoldUpAnother() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) {
            calls.submit(StoreCalls.Lane.ORDINARY, () -> true, any -> awaitQuietly(go), (sent, answer, failure) -> {});
        }
        calls.submit(StoreCalls.Lane.ORDINARY, () -> true, any -> true, (sent, answer, failure) -> done.countDown());

        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        go.countDown();
    }

    @Test
    void oneThreadIsEnoughForOneCallAfterAnother() throws InterruptedException {
        Set<Thread> used = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 50; i++) {
            CountDownLatch done = new CountDownLatch(1);
            calls.submit(
                    StoreCalls.Lane.ORDINARY,
                    () -> true,
                    any -> used.add(Thread.currentThread()),
                    (sent, answer, failure) -> done.countDown());
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(used).hasSizeLessThan(10);
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The closing thread waits only once it looks whether everything is said. */
    private static void awaitWaiting(AtomicReference<Thread> closer) {
        while (closer.get() == null || closer.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
