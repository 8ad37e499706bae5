package dev.holdfast;

import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * A lock as the JDK knows it, owned by the thread that took it and re-entrant, with the lease behind it. All views of one
 * name share ownership within a client. Thread-safe; what it tells is about the calling thread.
 *
 * <p>{@code lock()} and the others that enter throw {@link LeaseLostException} if the calling thread has entered already
 * and the lease was lost since. {@code unlock()} always takes one entry back, and throws {@link LeaseLostException} if the
 * lease was lost before, also when it is not the last one: the work was not protected. {@code newCondition()} throws
 * {@link UnsupportedOperationException}.
 */
public interface LeasedLock extends Lock {

    /**
     * Shows the lease that the calling thread holds through this lock, for its token, its deadline and
     * {@link Lease#onLost}. It is a view: nested entries share it, and it ends with the last {@code unlock()}. Its
     * {@link Lease#release()}, {@link Lease#releaseAsync()} and {@link Lease#close()} throw
     * {@link IllegalStateException}, because they would take the lock away from the entries around.
     *
     * @return the lease, lost ones included; empty if the calling thread has not entered
     */
    Optional<Lease> lease();

    /** {@return whether the calling thread has entered and the lease is held at this moment, computed from the clock} */
    boolean isHeldByCurrentThread();

    /** {@return how many calls of {@code unlock()} the calling thread owes, also if the lease was lost meanwhile} */
    int holdCount();
}
