package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.Timed;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread tells all losses and rings all alarms of a client: nothing may end it, not even a heap that is full for a moment. */
@Timeout(60)
final class TimerThreadTest {
    private static final Logger LOG = Logger.getLogger("dev.holdfast");

    private final TimerThread timer = new TimerThread(SystemClock.INSTANCE, "timer-test");
    private final FullHeap handler = new FullHeap();

    @BeforeEach
    void breakTheLog() {
        LOG.addHandler(handler);
    }

    @AfterEach
    void end() {
        LOG.removeHandler(handler);
        timer.close();
    }

    @Test
    void anErrorThatCannotEvenBeLoggedDoesNotStopLaterSteps() throws InterruptedException {
        CountDownLatch rang = new CountDownLatch(1);
        long now = SystemClock.INSTANCE.nanos();
        timer.schedule(
                step(() -> {
                    if (handler.tried.get() == 0) {
                        throw new InternalError("simulated");
                    }
                }),
                now);
        timer.schedule(step(rang::countDown), now + TimeUnit.MILLISECONDS.toNanos(100));
        assertThat(rang.await(10, TimeUnit.SECONDS)).as("the step after it").isTrue();
        assertThat(handler.tried).hasPositiveValue();
    }

    @Test
    void whatFailedIsTriedAgain() throws InterruptedException {
        CountDownLatch tries = new CountDownLatch(2);
        timer.schedule(
                step(() -> {
                    tries.countDown();
                    if (tries.getCount() > 0) {
                        throw new InternalError("simulated");
                    }
                }),
                SystemClock.INSTANCE.nanos());
        assertThat(tries.await(10, TimeUnit.SECONDS)).as("a second try").isTrue();
    }

    /**
     * A virtual thread that waited here would do so with the monitor of its gate. On JDK 24 and later it might get no
     * processor for long then, and the timer thread, which needs that monitor, would tell nobody anything.
     */
    @Test
    void nobodyWaitsForThisThreadToLookAtItsClock() throws InterruptedException {
        CountDownLatch clockIsRead = new CountDownLatch(1);
        CountDownLatch clockGoes = new CountDownLatch(1);
        CountDownLatch isScheduled = new CountDownLatch(1);
        CountDownLatch rang = new CountDownLatch(1);
        TimerThread slow = new TimerThread(
                () -> {
                    clockIsRead.countDown();
                    awaitQuietly(clockGoes);
                    return SystemClock.INSTANCE.nanos();
                },
                "timer-test-slow");
        try {
            slow.schedule(step(() -> {}), Long.MAX_VALUE - 1);
            clockIsRead.await();
            Thread other = new Thread(() -> {
                Timed cancelled = step(() -> {
                    throw new AssertionError("was cancelled");
                });
                slow.schedule(cancelled, 0);
                slow.cancel(cancelled);
                slow.schedule(step(rang::countDown), 0);
                isScheduled.countDown();
            });
            other.start();
            assertThat(isScheduled.await(10, TimeUnit.SECONDS)).as("scheduled").isTrue();
            clockGoes.countDown();
            assertThat(rang.await(10, TimeUnit.SECONDS))
                    .as("what was scheduled")
                    .isTrue();
            assertThat(handler.tried).hasValue(0);
        } finally {
            clockGoes.countDown();
            slow.close();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }

    private static Timed step(Runnable action) {
        return new Timed() {
            @Override
            public void onDue() {
                action.run();
            }
        };
    }

    /** A log that is out of memory, too. */
    private static final class FullHeap extends Handler {
        private final AtomicInteger tried = new AtomicInteger();

        @Override
        public void publish(LogRecord event) {
            tried.incrementAndGet();
            throw new InternalError("simulated");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
