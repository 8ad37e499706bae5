package dev.holdfast.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what must come. */
final class Outcomes {
    private static final long PATIENCE_SECONDS = 30;

    private Outcomes() {}

    static <T> T of(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError("the future failed", failed.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("the future is not complete after " + PATIENCE_SECONDS + " s", late);
        }
    }
}
