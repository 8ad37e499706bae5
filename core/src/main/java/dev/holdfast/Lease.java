package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One holding of a lock, from its grant to its release or loss. Ownership follows this handle and never a thread: it
 * may be passed to another thread, used from virtual threads, and closed anywhere. Thread-safe.
 *
 * <p>A handle that becomes unreachable without having been released is released by the client and reported as a leak.
 * A callback given to {@link #onLost} that refers to its own lease keeps the handle reachable.
 */
public interface Lease extends AutoCloseable {

    /** {@return the lock's name; for a lease over several names, the names joined by a comma} */
    String name();

    /** {@return the names that this lease holds, sorted} */
    List<String> names();

    /**
     * Tells the fencing token: unique, and larger than that of every earlier grant of the name. Pass it along with each
     * write so that the resource can refuse a holder whose time is over.
     *
     * @return the token
     * @throws IllegalStateException if this lease holds several names: each has a token of its own
     */
    long token();

    /**
     * Tells the fencing token of one of the names.
     *
     * @param name one of {@link #names()}
     * @return the token
     * @throws IllegalArgumentException if this lease does not hold that name
     */
    long token(String name);

    /** {@return whether nobody else can hold the lock at the same time: true for exclusive and write locks} */
    boolean isExclusive();

    /**
     * Tells whether the lease is held at this moment. Each call computes this from the clock. So a process that was
     * paused past the deadline sees {@code false} in its first call after waking.
     *
     * @return true while neither released nor lost
     */
    boolean isHeld();

    /** {@return the time left until the deadline if no renewal succeeds; zero when not held} */
    Duration remaining();

    /**
     * Does nothing if the lease is held at this moment, and throws an exception otherwise.
     *
     * @throws LeaseLostException if it was lost
     * @throws IllegalStateException if it was released
     */
    void ensureHeld();

    /**
     * Adds a callback for the loss of the lease. It runs before the store may grant the lock to somebody else, once, on
     * one of the client's threads for callbacks. If the lease is already lost, it runs at once on the calling thread. It
     * does not run after a release, unless that release finds that the lock was gone. Its exceptions are logged and
     * reported to the {@link HoldfastListener}.
     *
     * @param action receives the reason
     */
    void onLost(Consumer<LossReason> action);

    /**
     * Gives the lock up, without an exception if it was lost. A release that the store does not answer is repeated in
     * the background.
     *
     * @return true if this call ended a lease that was held until now; false if it was lost or released before
     */
    boolean release();

    /**
     * Gives the lock up without waiting for the store.
     *
     * @return completes as {@link #release()} would return
     */
    CompletableFuture<Boolean> releaseAsync();

    /**
     * Gives the lock up. Closing twice, or after {@link #release()}, does nothing.
     *
     * @throws LeaseLostException if the lease was lost before this call began: the work was not protected. Each call
     *     that throws makes a new exception
     */
    @Override
    void close();
}
