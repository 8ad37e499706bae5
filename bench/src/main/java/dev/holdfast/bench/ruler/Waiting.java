package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads wait for a lock that somebody else has. When it is given back, each has it once. */
final class Waiting implements Heat {
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch underWay;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    Waiting(Locks locks, int count, String name) {
        this.underWay = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            threads.add(new Thread(() -> await(locks.mutex(name)), "waiting-" + i));
        }
    }

    @Override
    public void start() {
        threads.forEach(Thread::start);
    }

    /** Here: until every thread has set out to wait. */
    @Override
    public boolean awaitUnderWay(Duration patience) throws InterruptedException {
        return underWay.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The server counts. */
    @Override
    public void count() {}

    @Override
    public Lap stop() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a waiting thread failed", failed);
        }
        return new Lap(1, List.of((long) threads.size()), threads.size(), 0, 0, 0, 0);
    }

    private void await(Mutex mutex) {
        try {
            underWay.countDown();
            mutex.lock();
            mutex.unlock();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error failed) {
            failure.compareAndSet(null, failed);
        }
    }
}
