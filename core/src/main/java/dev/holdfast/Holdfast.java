package dev.holdfast;

import java.util.List;
import java.util.Optional;

/**
 * A client of one lock store: where locks come from. Thread-safe; make one per process and store, and close it at the
 * end. After that, every method but {@link #close()}, {@link #clientName()} and {@link #traits()} throws
 * {@link ClientClosedException}.
 */
public interface Holdfast extends AutoCloseable {

    /**
     * Connects to a store and checks that it answers.
     *
     * @param url the store, such as {@code memory:}, {@code file:/var/lock/app} or {@code redis://localhost:6379};
     *     options follow {@code #}
     * @return the client
     * @throws StoreMisconfiguredException if the URL, an option or the store's set-up is wrong
     * @throws StoreUnavailableException if the store does not answer
     */
    static Holdfast connect(String url) {
        return builder().url(url).build();
    }

    /** {@return a builder for clients that need more than a URL} */
    static HoldfastBuilder builder() {
        return new HoldfastBuilder();
    }

    /** {@return the name under which this client shows as holder or waiter} */
    String clientName();

    /** {@return what the store promises} */
    StoreTraits traits();

    /**
     * Makes an exclusive lock with the client's default options.
     *
     * @param name 1 to 255 bytes of UTF-8 without control characters
     * @return the lock
     * @throws IllegalArgumentException if the name is not valid
     */
    DistributedLock lock(String name);

    /**
     * Makes an exclusive lock.
     *
     * @param name 1 to 255 bytes of UTF-8 without control characters
     * @param options how it behaves
     * @return the lock
     * @throws IllegalArgumentException if the name is not valid, or the store cannot give such leases
     */
    DistributedLock lock(String name, LockOptions options);

    /**
     * Makes one exclusive lock over several names: all or nothing, without deadlock whatever the order.
     *
     * @param names two or more names, or one; no name twice
     * @return the lock
     * @throws IllegalArgumentException if there is no name, a name is not valid or stands twice, or the store cannot
     *     take several at once
     */
    DistributedLock all(String... names);

    /**
     * Makes one exclusive lock over several names.
     *
     * @param names one or more names; no name twice
     * @param options how it behaves
     * @return the lock
     * @throws IllegalArgumentException as {@link #all(String...)}
     */
    DistributedLock all(List<String> names, LockOptions options);

    /**
     * Makes a read/write lock with the client's default options.
     *
     * @param name as for {@link #lock(String)}
     * @return the pair of locks
     * @throws IllegalArgumentException if the name is not valid, or the store has no shared locks
     */
    DistributedReadWriteLock readWriteLock(String name);

    /**
     * Makes a read/write lock.
     *
     * @param name as for {@link #lock(String)}
     * @param options how both locks behave
     * @return the pair of locks
     * @throws IllegalArgumentException if the name is not valid, or the store has no shared locks or no such leases
     */
    DistributedReadWriteLock readWriteLock(String name, LockOptions options);

    /**
     * Makes a counting semaphore with the client's default options.
     *
     * @param name as for {@link #lock(String)}
     * @param capacity how many permits there are in all: from 1 to 1,000,000, the same wherever the name is used
     * @return the semaphore
     * @throws IllegalArgumentException if name or capacity is not valid, or the store has no shared locks
     */
    DistributedSemaphore semaphore(String name, int capacity);

    /**
     * Makes a counting semaphore.
     *
     * @param name as for {@link #lock(String)}
     * @param capacity how many permits there are in all
     * @param options how its locks behave
     * @return the semaphore
     * @throws IllegalArgumentException if name or capacity is not valid, or the store has no shared locks or no such
     *     leases
     */
    DistributedSemaphore semaphore(String name, int capacity, LockOptions options);

    /**
     * Makes a candidate for leadership. {@link Election#campaign} lets it stand.
     *
     * @param name as for {@link #lock(String)}
     * @return the election, closed with this client at the latest
     * @throws IllegalArgumentException if the name is not valid
     */
    Election election(String name);

    /**
     * Makes a candidate for leadership.
     *
     * @param name as for {@link #lock(String)}
     * @param options how the lock behind it behaves. With {@link LockOptions#interruptOnLoss()}, the thread that runs
     *     {@code onElected} is interrupted when the term is lost
     * @return the election, closed with this client at the latest
     * @throws IllegalArgumentException if the name is not valid, or the store cannot give such leases
     */
    Election election(String name, LockOptions options);

    /**
     * Looks at one name.
     *
     * @param name the lock
     * @return who holds it and who waits; empty if the store knows nothing of it
     * @throws StoreUnavailableException if the store did not answer
     */
    Optional<LockView> inspect(String name);

    /**
     * Looks at all names that begin with a prefix and have a holder or a waiter.
     *
     * @param prefix may be empty
     * @param limit the most to return; at least 1
     * @return the views, sorted by name
     * @throws IllegalArgumentException if the limit is less than 1
     * @throws StoreUnavailableException if the store did not answer
     */
    List<LockView> list(String prefix, int limit);

    /**
     * Takes a lock away from its holders by force. They are told ({@link LossReason#EVICTED}), the next grant has a
     * larger token, and who did it and why is recorded.
     *
     * @param name the lock
     * @param reason why; not empty
     * @return how many holders were evicted
     * @throws IllegalArgumentException if the name is not valid or the reason is blank
     * @throws StoreUnavailableException if the store did not answer
     */
    int evict(String name, String reason);

    /**
     * Takes a lock away from one holder by force, and only if its lease still comes from the grant that this token
     * belongs to. A later holder keeps the lock. The exception is PostgreSQL with {@code strategy=advisory}: there, a
     * client that releases the lock and takes it again in the moment of the eviction may lose it too. Holders are told as
     * by {@link #evict(String, String)}. If a client handed the lock from thread to thread, the tokens of all these leases
     * name the same grant. A lease over several names loses all of them.
     *
     * @param name the lock
     * @param token the token of the holder's lease, as {@link Lease#token()} and {@link LockView.Holder#token()} tell it
     * @param reason why; not empty
     * @return 1 if that holder was evicted, 0 if it does not hold the lock any more
     * @throws IllegalArgumentException if the name or the token is not valid or the reason is blank
     * @throws StoreUnavailableException if the store did not answer
     */
    int evict(String name, long token, String reason);

    /**
     * Checks that the store answers.
     *
     * @throws StoreUnavailableException if it does not
     */
    void ping();

    /**
     * Ends every lease of this client (they are lost with {@link LossReason#CLIENT_CLOSED}) and gives them back to the
     * store, wakes every waiter with {@link ClientClosedException}, and ends the client's threads. Closing twice does
     * nothing.
     */
    @Override
    void close();
}
