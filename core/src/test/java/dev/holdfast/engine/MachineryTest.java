package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.LockStore;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The threads of a client while it closes. */
@Timeout(60)
final class MachineryTest {
    private final LockStore store = new OneLockStore();
    private final Machinery machinery = new Machinery("holdfast-machinery", () -> store, null);
    private final StoreCalls calls = machinery.surroundings().calls();

    @Test
    void answerThatComesWhileTheClientClosesCanStillGiveSomethingBack() throws InterruptedException {
        CountDownLatch underWay = new CountDownLatch(1);
        AtomicReference<Thread> closer = new AtomicReference<>();
        AtomicBoolean givenBack = new AtomicBoolean();
        calls.submit(
                StoreCalls.Lane.ORDINARY,
                any -> {
                    underWay.countDown();
                    awaitWaiting(closer);
                    return true;
                },
                (sent, done, failure) -> calls.submit(
                        StoreCalls.Lane.ORDINARY,
                        any -> true,
                        (then, released, refused) -> givenBack.set(refused == null)));
        assertThat(underWay.await(30, TimeUnit.SECONDS)).isTrue();
        closer.set(Thread.currentThread());
        calls.finish();
        machinery.close();

        assertThat(givenBack).isTrue();
    }

    /** The closing thread waits only once the pool takes nothing more. */
    private static void awaitWaiting(AtomicReference<Thread> closer) {
        while (closer.get() == null || closer.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
