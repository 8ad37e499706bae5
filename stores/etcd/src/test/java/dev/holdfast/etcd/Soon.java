package dev.holdfast.etcd;

import dev.holdfast.Holdfast;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/** Waits for what has to come. */
final class Soon {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private Soon() {}

    /** Connects once with much patience: the first connection of a process loads a thousand classes. */
    static void loadClasses(String address) {
        Holdfast.builder()
                .url("etcd://" + address + "/first")
                .commandTimeout(PATIENCE)
                .build()
                .close();
    }

    /** Lets time go by in which nothing is awaited. */
    static void pass(Duration time) {
        long begin = System.nanoTime();
        Awaitility.await().atMost(time.plus(PATIENCE)).until(() -> System.nanoTime() - begin > time.toNanos());
    }

    static <T> T get(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new AssertionError("it did not come", failed);
        }
    }
}
