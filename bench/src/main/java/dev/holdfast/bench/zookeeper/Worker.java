package dev.holdfast.bench.zookeeper;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One process of a race: arguments are the maker, the server, the lock's name, the number of threads and the milliseconds
 * to count for. Says {@code ready} when every thread has had the lock once, waits for a line, and says how many times the
 * lock was taken.
 */
public final class Worker {
    private static volatile boolean counting;
    private static volatile boolean over;
    private static volatile @Nullable Throwable failure;

    private Worker() {}

    /**
     * Runs it.
     *
     * @param arguments as above
     * @throws Exception if the race cannot be run
     */
    @SuppressWarnings("InterruptedExceptionSwallowed") // Nobody interrupts the main thread of this process.
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[3]);
        CountDownLatch underWay = new CountDownLatch(threads);
        LongAdder pairs = new LongAdder();
        try (Maker.Locks locks = Maker.valueOf(arguments[0]).open(arguments[1])) {
            Thread[] runners = new Thread[threads];
            for (int i = 0; i < threads; i++) {
                Maker.Mutex mutex = locks.mutex(arguments[2]);
                runners[i] = new Thread(() -> run(mutex, underWay, pairs));
                runners[i].start();
            }
            underWay.await();
            System.out.println("ready");
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            counting = true;
            long begin = System.nanoTime();
            TimeUnit.MILLISECONDS.sleep(Long.parseLong(arguments[4]));
            counting = false;
            long nanos = System.nanoTime() - begin;
            System.out.println(pairs.sum() * 1e9 / nanos);
            over = true;
            for (Thread runner : runners) {
                runner.join();
            }
        }
        Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException("the race failed", failed);
        }
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // As above.
    private static void run(Maker.Mutex mutex, CountDownLatch underWay, LongAdder pairs) {
        try {
            while (!over) {
                Maker.Held held = mutex.lock();
                held.unlock();
                underWay.countDown();
                if (counting) {
                    pairs.increment();
                }
            }
        } catch (Exception failed) {
            failure = failed;
            underWay.countDown();
        }
    }
}
