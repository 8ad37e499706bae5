package dev.holdfast.torture.worker;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LeasedLock;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call that asks for a lock, in one of the ways that the API has.
 *
 * @param way which
 * @param patience how long it may wait; negative for ever
 */
record Attempt(Way way, Duration patience) {
    /** The ways to ask. */
    enum Way {
        TRY,
        TRY_WAIT,
        ACQUIRE,
        ACQUIRE_ASYNC,
        TRY_ASYNC,
        AS_LOCK
    }

    /** What came of it: a lease, or a word why not. */
    record Result(
            String word, @Nullable Lease lease, @Nullable LeasedLock view, String detail) {
        static Result got(Lease lease, @Nullable LeasedLock view) {
            return new Result("ok", lease, view, "");
        }

        static Result not(String word, String detail) {
            return new Result(word, null, null, detail);
        }
    }

    static Attempt draw(Random random, boolean exclusive, Duration lease) {
        Way[] ways = Way.values();
        Way way = ways[random.nextInt(exclusive ? ways.length : ways.length - 1)];
        long most = lease.toMillis() * 2;
        return new Attempt(
                way,
                switch (way) {
                    case TRY -> Duration.ZERO;
                    case ACQUIRE -> Duration.ofMillis(-1);
                    default ->
                        Duration.ofMillis(random.nextInt(8) == 0 ? random.nextInt(30) : 30 + random.nextLong(most));
                });
    }

    /** Makes the call. A client that is being closed may refuse to hand out the lock already. */
    Result make(Supplier<DistributedLock> source) throws InterruptedException {
        try {
            DistributedLock lock = source.get();
            return switch (way) {
                case TRY -> of(lock.tryAcquire());
                case TRY_WAIT -> of(lock.tryAcquire(patience));
                case ACQUIRE -> Result.got(lock.acquire(), null);
                case ACQUIRE_ASYNC -> impatient(lock.acquireAsync());
                case TRY_ASYNC -> of(lock.tryAcquireAsync(patience).get());
                case AS_LOCK -> view(lock.asLock());
            };
        } catch (HoldfastException refused) {
            return told(refused);
        } catch (ExecutionException failed) {
            return failed.getCause() instanceof HoldfastException refused
                    ? told(refused)
                    : Result.not("error", String.valueOf(failed.getCause()));
        }
    }

    private static Result of(Optional<Lease> taken) {
        return taken.map(lease -> Result.got(lease, null)).orElseGet(() -> Result.not("none", ""));
    }

    /** Leaves the line when its time is up. If the grant was faster than the cancellation, it is ours. */
    private Result impatient(CompletableFuture<Lease> future) throws InterruptedException, ExecutionException {
        try {
            return Result.got(future.get(patience.toMillis(), TimeUnit.MILLISECONDS), null);
        } catch (TimeoutException late) {
            return future.cancel(true) ? Result.not("cancelled", "") : Result.got(future.get(), null);
        }
    }

    private Result view(LeasedLock view) throws InterruptedException {
        if (!view.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return Result.not("none", "");
        }
        Optional<Lease> lease = view.lease();
        return lease.isPresent() ? Result.got(lease.get(), view) : Result.not("error", "locked, but without a lease");
    }

    private static Result told(HoldfastException refused) {
        if (refused instanceof ClientClosedException) {
            return Result.not("closed", "");
        }
        if (refused instanceof StoreUnavailableException || refused instanceof LeaseLostException) {
            return Result.not("unknown", first(refused));
        }
        return Result.not("error", first(refused));
    }

    static String first(Throwable problem) {
        String text = String.valueOf(problem);
        Throwable cause = problem.getCause();
        return cause == null ? text : text + " <- " + cause;
    }
}
