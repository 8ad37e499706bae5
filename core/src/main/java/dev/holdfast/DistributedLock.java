package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lock across threads, processes and machines. Thread-safe, cheap to make and to keep; all state is in the client and
 * the store.
 * Waiters of one client for an exclusive lock of one name are served first come, first served; claims for a share or for
 * several names are served in the order in which they reach the store, where the store promises that.
 *
 * <p>Every method that reaches the store may throw {@link StoreMisconfiguredException} (at once, never retried),
 * {@link LockMismatchException} (the name is in use as another kind or capacity) and {@link ClientClosedException}.
 */
public interface DistributedLock {

    /** {@return the names that this lock takes, sorted; one for most locks} */
    List<String> names();

    /** {@return the options it was made with} */
    LockOptions options();

    /**
     * Waits for the lock without limit. While the store does not answer, it goes on trying.
     *
     * @return the lease
     * @throws InterruptedException if interrupted before or during the wait; nothing is held then
     * @throws SelfDeadlockException if this thread holds the name through {@link #asLock()}
     */
    Lease acquire() throws InterruptedException;

    /**
     * Takes the lock if that is possible now. Never waits for a holder, not even for a thread of this process.
     *
     * @return the lease, or empty if somebody else holds the lock or is ahead in line
     * @throws StoreUnavailableException if the store did not answer: nobody can tell
     */
    Optional<Lease> tryAcquire();

    /**
     * Waits for the lock for a limited time. Failures of the store are retried until the time is over. If the store has
     * not answered at all by then, this method waits for its first answer, up to the command timeout. So a very short
     * wait asks once, as {@link #tryAcquire()} does.
     *
     * @param wait how long to wait at most; zero is the same as {@link #tryAcquire()}
     * @return the lease, or empty if somebody else held the lock all the time
     * @throws InterruptedException if interrupted before or during the wait; nothing is held then
     * @throws StoreUnavailableException if the store's last word was a failure: nobody can tell
     * @throws SelfDeadlockException if this thread holds the name through {@link #asLock()}
     * @throws IllegalArgumentException if the time is negative
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Waits for the lock without limit and without a thread. Cancelling the future, or completing it in any other way,
     * leaves the queue; a grant that is on its way by then is given back at once.
     *
     * @return completes with the lease, on a thread of the client's for callbacks
     */
    CompletableFuture<Lease> acquireAsync();

    /**
     * Waits for the lock for a limited time and without a thread.
     *
     * @param wait how long to wait at most; with zero it tries once
     * @return completes with the lease or with empty; exceptionally as {@link #tryAcquire(Duration)} would throw
     * @throws IllegalArgumentException if the time is negative
     */
    CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration wait);

    /**
     * Does something under the lock, and always releases it.
     *
     * @param action what to do
     * @param <X> what it may throw
     * @throws X what the action throws; if the lease was lost too, that exception is suppressed in it
     * @throws InterruptedException if interrupted while waiting for the lock
     * @throws LeaseLostException if the action completed, but the lease was lost meanwhile
     */
    default <X extends Exception> void run(LeaseAction<X> action) throws X, InterruptedException {
        try (Lease lease = acquire()) {
            action.run(lease);
        }
    }

    /**
     * Does something under the lock if it is free now, and nothing otherwise. Never waits for a holder.
     *
     * @param action what to do
     * @param <X> what it may throw
     * @return true if it was done; false if it was skipped because somebody else holds the lock or is ahead in line
     * @throws X as {@link #run}
     * @throws StoreUnavailableException if the store did not answer: the action was not done, but nobody can tell
     *     whether the lock is taken
     * @throws LeaseLostException if the action completed, but the lease was lost meanwhile
     */
    default <X extends Exception> boolean tryRun(LeaseAction<X> action) throws X {
        Optional<Lease> taken = tryAcquire();
        if (taken.isEmpty()) {
            return false;
        }
        try (Lease lease = taken.get()) {
            action.run(lease);
        }
        return true;
    }

    /**
     * Does something under the lock if it gets the lock within a time limit, and nothing otherwise.
     *
     * @param wait how long to wait at most; zero is the same as {@link #tryRun(LeaseAction)}
     * @param action what to do
     * @param <X> what it may throw
     * @return true if it was done; false if it was skipped because somebody else held the lock all the time
     * @throws X as {@link #run}
     * @throws InterruptedException if interrupted while waiting for the lock
     * @throws StoreUnavailableException if the store's last word was a failure: the action was not done, but nobody can
     *     tell whether the lock is taken
     * @throws LeaseLostException if the action completed, but the lease was lost meanwhile
     * @throws IllegalArgumentException if the time is negative
     */
    default <X extends Exception> boolean tryRun(Duration wait, LeaseAction<X> action) throws X, InterruptedException {
        Optional<Lease> taken = tryAcquire(wait);
        if (taken.isEmpty()) {
            return false;
        }
        try (Lease lease = taken.get()) {
            action.run(lease);
        }
        return true;
    }

    /**
     * Computes something under the lock if it is free now. Never waits for a holder. The function must not return null,
     * because empty means that it was skipped: return an {@link Optional} if there may be no result, or use
     * {@link #tryRun(LeaseAction)} if there never is one.
     *
     * @param function what to compute
     * @param <T> its result
     * @param <X> what it may throw
     * @return the result, or empty if it was skipped because somebody else holds the lock or is ahead in line
     * @throws X as {@link #call}
     * @throws StoreUnavailableException if the store did not answer: the function was not called, but nobody can tell
     *     whether the lock is taken
     * @throws LeaseLostException if the function completed, but the lease was lost meanwhile
     * @throws NullPointerException if the function returns null
     */
    default <T, X extends Exception> Optional<T> tryCall(LeaseFunction<? extends T, X> function) throws X {
        Optional<Lease> taken = tryAcquire();
        if (taken.isEmpty()) {
            return Optional.empty();
        }
        try (Lease lease = taken.get()) {
            return Optional.of(
                    Objects.requireNonNull(function.call(lease), "tryCall cannot tell null from a taken lock"));
        }
    }

    /**
     * Computes something under the lock if it gets the lock within a time limit. The function must not return null, as
     * for {@link #tryCall(LeaseFunction)}.
     *
     * @param wait how long to wait at most; zero is the same as {@link #tryCall(LeaseFunction)}
     * @param function what to compute
     * @param <T> its result
     * @param <X> what it may throw
     * @return the result, or empty if it was skipped because somebody else held the lock all the time
     * @throws X as {@link #call}
     * @throws InterruptedException if interrupted while waiting for the lock
     * @throws StoreUnavailableException if the store's last word was a failure: the function was not called, but nobody
     *     can tell whether the lock is taken
     * @throws LeaseLostException if the function completed, but the lease was lost meanwhile
     * @throws NullPointerException if the function returns null
     * @throws IllegalArgumentException if the time is negative
     */
    default <T, X extends Exception> Optional<T> tryCall(Duration wait, LeaseFunction<? extends T, X> function)
            throws X, InterruptedException {
        Optional<Lease> taken = tryAcquire(wait);
        if (taken.isEmpty()) {
            return Optional.empty();
        }
        try (Lease lease = taken.get()) {
            return Optional.of(
                    Objects.requireNonNull(function.call(lease), "tryCall cannot tell null from a taken lock"));
        }
    }

    /**
     * Computes something under the lock, and always releases it.
     *
     * @param function what to compute
     * @param <T> its result, which may be null
     * @param <X> what it may throw
     * @return the result
     * @throws X what the function throws; if the lease was lost too, that exception is suppressed in it
     * @throws InterruptedException if interrupted while waiting for the lock
     * @throws LeaseLostException if the function completed, but the lease was lost meanwhile
     */
    default <T extends @Nullable Object, X extends Exception> T call(LeaseFunction<T, X> function)
            throws X, InterruptedException {
        try (Lease lease = acquire()) {
            return function.call(lease);
        }
    }

    /**
     * Shows this lock as a thread-owned, re-entrant {@link java.util.concurrent.locks.Lock}. Views of one name share
     * ownership within the client; a nested acquire costs no remote call and shares the token. Re-entry on a lost lease,
     * and {@code unlock()} of one, throw {@link LeaseLostException}; {@code newCondition()} throws
     * {@link UnsupportedOperationException}. A thread that ends without unlocking leaves its lock held, and renewed,
     * until the client closes.
     *
     * @return the view
     */
    LeasedLock asLock();
}
