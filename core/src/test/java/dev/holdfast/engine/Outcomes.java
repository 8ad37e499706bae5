package dev.holdfast.engine;

import dev.holdfast.DistributedLock;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How attempts ended, in words that can be counted. A lease that was granted is given back. */
public final class Outcomes {
    static final String CONTENDED = "contended";
    static final String GRANTED = "granted";

    private static final long LIMIT_SECONDS = 30;

    private Outcomes() {}

    static String of(DistributedLock lock, Duration wait) {
        try {
            return of(lock.tryAcquire(wait));
        } catch (HoldfastException | InterruptedException failure) {
            return failure.toString();
        }
    }

    static String of(CompletableFuture<Optional<Lease>> wait) {
        try {
            return of(wait.get(LIMIT_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException failure) {
            return String.valueOf(failure.getCause());
        } catch (InterruptedException | TimeoutException failure) {
            return failure.toString();
        }
    }

    private static String of(Optional<Lease> outcome) {
        outcome.ifPresent(Lease::release);
        return outcome.isPresent() ? GRANTED : CONTENDED;
    }

    static Map<String, Long> counted(Stream<String> outcomes) {
        return outcomes.collect(Collectors.groupingBy(outcome -> outcome, Collectors.counting()));
    }

    /** Lets many threads wait at once, each for a lock of its own. */
    static Map<String, Long> ofThreads(int count, IntFunction<DistributedLock> lock, Duration wait)
            throws InterruptedException {
        List<String> outcomes = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DistributedLock mine = lock.apply(i);
            Thread thread = new Thread(() -> {
                String outcome = of(mine, wait);
                synchronized (outcomes) {
                    outcomes.add(outcome);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        synchronized (outcomes) {
            return counted(outcomes.stream());
        }
    }

    /** Waits for as long as a test may take, from code that may not be interrupted. */
    public static void awaitQuietly(CountDownLatch latch) {
        try {
            boolean unused = latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
