package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.Timed;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Up to Java 23 a virtual thread that waits inside a monitor keeps its carrier. The timeline is used with and without the monitor
 * of a gate held: whoever waits for it inside of one must not wait for somebody who has no carrier.
 */
@Timeout(60)
final class VirtualThreadsTest {
    private static final long FAR_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long PATIENCE_SECONDS = 10;

    @Test
    void threadsWithAndWithoutAMonitorUseTheTimelineOnOneCarrier() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Runtime.version().feature() >= 21, "no virtual threads");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // Monitors as they are up to Java 23.
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "-XX:LockingMode=1",
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                        "-cp",
                        placeOf(TimerThread.class) + java.io.File.pathSeparator + placeOf(VirtualThreadsTest.class),
                        OneCarrier.class.getName()))
                .inheritIO()
                .start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("both threads got what they wanted")
                    .isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String placeOf(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .toString();
    }

    /** The program. */
    static final class OneCarrier {
        private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(1);

        private static final AtomicBoolean STOPS = new AtomicBoolean();
        private static final CountDownLatch STOPPED = new CountDownLatch(1);
        private static final CountDownLatch GO_ON = new CountDownLatch(1);

        private OneCarrier() {}

        public static void main(String[] args) throws InterruptedException {
            TimerThread timer = new TimerThread(OneCarrier::clock, "timer");
            timer.schedule(new Nothing(), FAR_NANOS);
            STOPS.set(true);
            // The timer's thread looks at the clock, and is stopped there: a busy machine can do that at any time.
            timer.schedule(new Nothing(), FAR_NANOS - 1);
            STOPPED.await();
            Thread free = startVirtual(() -> timer.schedule(new Nothing(), FAR_NANOS));
            untilItWaits(free);
            Object gate = new Object();
            Thread inside = startVirtual(() -> {
                synchronized (gate) {
                    timer.schedule(new Nothing(), FAR_NANOS);
                }
            });
            untilItWaits(inside);
            GO_ON.countDown();
            free.join();
            inside.join();
            System.exit(0);
        }

        private static long clock() {
            if (STOPS.compareAndSet(true, false)) {
                STOPPED.countDown();
                try {
                    GO_ON.await();
                } catch (InterruptedException ended) {
                    throw new IllegalStateException(ended);
                }
            }
            return 1;
        }

        /** Or is kept from running by one that does. */
        private static void untilItWaits(Thread thread) {
            long began = System.nanoTime();
            while (thread.getState() != Thread.State.WAITING && System.nanoTime() - began < MOST_NANOS) {
                Thread.onSpinWait();
            }
        }

        /** By reflection, because this is compiled for Java 17. */
        private static Thread startVirtual(Runnable work) {
            try {
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, work);
            } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException unable) {
                throw new IllegalStateException(unable);
            }
        }
    }

    private static final class Nothing extends Timed {
        @Override
        public void onDue() {}
    }
}
