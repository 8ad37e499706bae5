package dev.holdfast.engine.client;

import dev.holdfast.ClientClosedException;
import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.Surroundings;
import dev.holdfast.engine.Terms;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockName;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client: makes locks and carries the rest to the store. Thread-safe. */
public final class Client implements Holdfast {
    private static final int MOST_PERMITS = 1_000_000;

    private final Engine engine;
    private final LockOptions defaults;
    private final Runnable afterClose;
    private final Claim.HolderInfo unlabelled;
    private final ThreadHolds threadHolds = new ThreadHolds();
    private final Set<LockElection> elections = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closing = new AtomicBoolean();

    /** Open until the store is closed; a thread that closes the client a second time waits for it. */
    private final CountDownLatch everythingFree = new CountDownLatch(1);

    private Client(Engine engine, LockOptions defaults, Runnable afterClose) {
        this.engine = engine;
        this.defaults = defaults;
        this.afterClose = afterClose;
        this.unlabelled = new Claim.HolderInfo(engine.clientName, "");
    }

    /**
     * Makes a client in given surroundings.
     *
     * @param clientName its name
     * @param surroundings time, threads and chance
     * @param store opens the store, given whom it tells of what happens
     * @param defaults the options of locks that are made without any
     * @param listener whom to tell of events, or null
     * @param afterClose runs at the end of {@link #close()}
     * @return the client
     */
    public static Client open(
            String clientName,
            Surroundings surroundings,
            Function<StoreListener, LockStore> store,
            LockOptions defaults,
            @Nullable HoldfastListener listener,
            Runnable afterClose) {
        Engine engine = Engine.open(clientName, surroundings, store, listener);
        Client client = new Client(engine, defaults, afterClose);
        try {
            client.checkLease(defaults);
        } catch (RuntimeException | Error unfit) {
            engine.store().close();
            throw unfit;
        }
        engine.events.opened();
        return client;
    }

    /** The store that calls in the background go to; it counts them if there is a listener. */
    public LockStore store() {
        return engine.store();
    }

    void startJanitor() {
        engine.startJanitor(SystemClock.INSTANCE::wallAheadNanos);
    }

    @Override
    public String clientName() {
        return engine.clientName;
    }

    @Override
    public StoreTraits traits() {
        return engine.store().traits();
    }

    @Override
    public DistributedLock lock(String name) {
        return lock(name, defaults);
    }

    @Override
    public DistributedLock lock(String name, LockOptions options) {
        return plainLock(name, options);
    }

    private EngineLock plainLock(String name, LockOptions options) {
        return newLock(Terms.exclusive(List.of(LockName.check(name)), options, holder(options)));
    }

    @Override
    public DistributedLock all(String... names) {
        return all(List.of(names), defaults);
    }

    @Override
    public DistributedLock all(List<String> names, LockOptions options) {
        engine.ensureOpen();
        Names.check(names);
        if (names.size() > 1) {
            require(Promise.SEVERAL_NAMES);
        }
        return newLock(Terms.exclusive(names, options, holder(options)));
    }

    @Override
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, defaults);
    }

    @Override
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        engine.ensureOpen();
        require(Promise.READ_WRITE);
        LockName.check(name);
        DistributedLock read = unitsOf(name, LockKind.READ_WRITE, 1, Claim.MANY, options);
        DistributedLock write = unitsOf(name, LockKind.READ_WRITE, Claim.MANY, Claim.MANY, options);
        return new ReadWritePair(read, write);
    }

    @Override
    public DistributedSemaphore semaphore(String name, int capacity) {
        return semaphore(name, capacity, defaults);
    }

    @Override
    public DistributedSemaphore semaphore(String name, int capacity, LockOptions options) {
        engine.ensureOpen();
        require(Promise.SEMAPHORE);
        LockName.check(name);
        if (capacity < 1 || capacity > MOST_PERMITS) {
            throw new IllegalArgumentException(
                    "a semaphore's capacity must be from 1 to " + MOST_PERMITS + ", but was " + capacity);
        }
        checkLease(options);
        return new Permits(name, capacity, count -> unitsOf(name, LockKind.SEMAPHORE, count, capacity, options));
    }

    @Override
    public Election election(String name) {
        return election(name, defaults);
    }

    @Override
    public Election election(String name, LockOptions options) {
        return election(name, options, Thread::new);
    }

    Election election(String name, LockOptions options, ThreadFactory threads) {
        EngineLock lock = plainLock(name, options);
        LockElection election =
                new LockElection(engine, lock, lock::acquireForClient, threads, () -> inspect(name), elections::remove);
        elections.add(election);
        if (closing.get()) {
            // It may have come too late for close(), which ends all elections.
            election.close();
            throw new ClientClosedException(clientName());
        }
        return election;
    }

    @Override
    public Optional<LockView> inspect(String name) {
        engine.ensureOpen();
        return engine.store().inspect(LockName.check(name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        engine.ensureOpen();
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1, but was " + limit);
        }
        return engine.store().list(Objects.requireNonNull(prefix, "prefix"), limit);
    }

    @Override
    public int evict(String name, String reason) {
        return evict(name, OptionalLong.empty(), reason);
    }

    @Override
    public int evict(String name, long token, String reason) {
        if (token < 0) {
            throw new IllegalArgumentException("a token is not negative, but this was " + token);
        }
        return evict(name, OptionalLong.of(Grant.epochOf(token)), reason);
    }

    private int evict(String name, OptionalLong epoch, String reason) {
        engine.ensureOpen();
        if (reason.isBlank()) {
            throw new IllegalArgumentException("an eviction needs a reason");
        }
        int evicted = engine.store().evict(LockName.check(name), epoch, clientName(), reason);
        engine.events.tell(new HoldfastEvent.Evicted(name, reason, evicted));
        return evicted;
    }

    @Override
    public void ping() {
        engine.ensureOpen();
        engine.store().ping();
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            awaitEverythingFree();
            return;
        }
        try {
            ClientClosedException why = new ClientClosedException(clientName());
            elections.forEach(election -> election.close(why));
        } finally {
            try {
                engine.close();
            } finally {
                everythingFree.countDown();
                afterClose.run();
            }
        }
    }

    /** Another thread closes the client: by the time this returns too, everything is free. */
    private void awaitEverythingFree() {
        boolean interrupted = false;
        long until = engine.now() + engine.longestClosingNanos();
        while (everythingFree.getCount() > 0 && engine.now() < until) {
            try {
                boolean unused = everythingFree.await(until - engine.now(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException remembered) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "Holdfast[" + clientName() + "]";
    }

    private DistributedLock unitsOf(String name, LockKind kind, int units, int capacity, LockOptions options) {
        return newLock(Terms.of(List.of(new Claim.Part(name, kind, units, capacity)), options, holder(options)));
    }

    private EngineLock newLock(Terms terms) {
        engine.ensureOpen();
        checkLease(terms.options);
        return new EngineLock(engine, terms, threadHolds);
    }

    private Claim.HolderInfo holder(LockOptions options) {
        return options.label().isEmpty() ? unlabelled : new Claim.HolderInfo(clientName(), options.label());
    }

    private void checkLease(LockOptions options) {
        Duration lease = options.leaseTime();
        if (lease.compareTo(traits().shortestLease()) < 0 || lease.compareTo(traits().longestLease()) > 0) {
            throw new IllegalArgumentException("leaseTime must be from "
                    + traits().shortestLease() + " to " + traits().longestLease() + " with this store, but was "
                    + lease);
        }
    }

    private void require(Promise promise) {
        if (!traits().promises(promise)) {
            throw new IllegalArgumentException("this store does not offer " + promise.explanation());
        }
    }
}
