package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WorkerPoolTest {
    /** For example at the limit of processes of a container. Nothing else may ever be given to this pool. */
    @Test
    void taskThatFoundNoThreadIsRunWhenOneCanBeStartedAgain() throws InterruptedException {
        TimerThread timer = new TimerThread(SystemClock.INSTANCE, "holdfast-pool-time");
        WorkerPool pool = new WorkerPool("holdfast-pool", 4, timer);
        try {
            ThreadFactory threads = pool.getThreadFactory();
            CountDownLatch refused = new CountDownLatch(3);
            CountDownLatch done = new CountDownLatch(1);
            pool.setThreadFactory(task -> {
                refused.countDown();
                throw new OutOfMemoryError("unable to create native thread");
            });
            pool.executeAnyhow(done::countDown);
            assertThat(refused.await(30, TimeUnit.SECONDS)).as("tried again").isTrue();
            assertThat(done.getCount()).isEqualTo(1);

            pool.setThreadFactory(threads);
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            pool.shutdown();
            timer.close();
        }
    }
}
