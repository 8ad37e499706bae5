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
