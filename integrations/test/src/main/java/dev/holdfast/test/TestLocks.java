package dev.holdfast.test;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.engine.Surroundings;
import dev.holdfast.engine.client.Client;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreScheduler;
import dev.holdfast.spi.StoreUri;
import dev.holdfast.store.memory.MemoryStoreProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Locks for a test: a client for the code under test on a store in memory, a time that passes only when the test says
 * so, and everything that goes wrong in production on demand. The engine is the real one.
 *
 * <pre>{@code
 * try (TestLocks locks = TestLocks.open()) {
 *     Lease lease = locks.client().lock("orders/42").acquire();
 *     locks.storeIsSilent();
 *     locks.timePasses(Duration.ofSeconds(31));
 *     assert !lease.isHeld();
 *     locks.events().assertLost("orders/42", LossReason.EXPIRED);
 * }
 * }</pre>
 *
 * <p>The code under test runs on its own, real threads. When {@link #timePasses} and the other steps return, everything
 * that was due has happened: renewals, timeouts, losses and callbacks, and each wait that ended is decided. What the code
 * under test does next on its own threads, the test has to wait for. Callbacks must end: a step waits for them for ten
 * seconds of real time and then fails.
 *
 * <p>Only locks know of this time. {@code Election.awaitLeadership(Duration)} measures real time. Thread-safe.
 */
public final class TestLocks implements AutoCloseable {
    private final VirtualTime time = new VirtualTime();
    private final ExecutorService threads = Executors.newCachedThreadPool(TestLocks::newThread);
    private final Executor counted = time.counted(threads);
    private final Random random = new Random(1);
    private final String memory = "holdfast-test-" + UUID.randomUUID();
    private final EventLog events = new EventLog(time::settle);

    /** Guarded by itself, and guards the leases below. */
    private final List<Holdfast> clients = new ArrayList<>();

    private final List<Lease> takenByOthers = new ArrayList<>();
    private final Duration commandTimeout;
    private final LockOptions defaults;
    private final HoldfastListener listener;
    private final StoreLine line;
    private final Holdfast client;
    private final Holdfast rival;

    private TestLocks(Builder builder) {
        this.commandTimeout = builder.commandTimeout;
        this.defaults = builder.defaults;
        this.listener = builder.listener == null ? events : HoldfastListener.all(events, builder.listener);
        this.line = new StoreLine(time, commandTimeout);
        this.client = open("application", line, listener);
        this.rival = open("another client", new StoreLine(time, commandTimeout), null);
    }

    /** {@return locks with default settings} */
    public static TestLocks open() {
        return builder().build();
    }

    /** {@return a builder for locks with settings} */
    public static Builder builder() {
        return new Builder();
    }

    private static Thread newThread(Runnable task) {
        Thread thread = new Thread(task, "holdfast-test");
        thread.setDaemon(true);
        return thread;
    }

    private Holdfast open(String name, StoreLine to, @Nullable HoldfastListener told) {
        StoreThreads calls = new StoreThreads(time, counted);
        Surroundings surroundings = new Surroundings(
                time, time, calls, counted, counted, counted, random, this::newOwner, commandTimeout, false);
        Client opened = Client.open(
                name,
                surroundings,
                messages -> to.connect(
                        new StoreContext(name, time, scheduler(), counted, commandTimeout, random, messages),
                        this::openMemory),
                defaults,
                told,
                () -> {});
        calls.callsGoTo(opened.store());
        synchronized (clients) {
            clients.add(opened);
        }
        return opened;
    }

    private OwnerId newOwner() {
        synchronized (random) {
            return new OwnerId(random.nextLong(), random.nextLong());
        }
    }

    private LockStore openMemory(StoreContext context) {
        return new MemoryStoreProvider().open(StoreUri.parse("memory:" + memory, Map.of(), null), context);
    }

    private StoreScheduler scheduler() {
        return (delay, task) -> time.later(delay.toNanos(), () -> counted.execute(task));
    }

    /** {@return the client for the code under test; it is closed with this} */
    public Holdfast client() {
        return client;
    }

    /**
     * Makes one more client of the same store, such as for a second instance of the application. Its line to the store is
     * never cut, and its events are not recorded.
     *
     * @param name its name
     * @return the client; it is closed with this
     */
    public Holdfast newClient(String name) {
        return open(name, new StoreLine(time, commandTimeout), null);
    }

    /**
     * Lets time pass. When this returns, everything that was due has happened.
     *
     * @param howMuch zero or more
     */
    public void timePasses(Duration howMuch) {
        if (howMuch.isNegative()) {
            throw new IllegalArgumentException("time does not go back, but this was " + howMuch);
        }
        time.pass(howMuch.toNanos());
    }

    /** {@return how much time has passed since this was opened} */
    public Duration elapsed() {
        return time.elapsed();
    }

    /**
     * The application's client loses a lock now, as if it had been taken away by an eviction.
     *
     * @param lockName a lock that the client holds
     * @throws IllegalStateException if it does not
     */
    public void lose(String lockName) {
        lose(lockName, LossReason.EVICTED);
    }

    /**
     * The application's client loses a lock now: it is free at the store, and the client is told.
     *
     * @param lockName a lock that the client holds
     * @param reason {@code EXPIRED}, {@code EVICTED} or {@code SESSION_LOST}
     * @throws IllegalStateException if it does not hold it
     * @throws IllegalArgumentException if a store cannot give this reason
     */
    public void lose(String lockName, LossReason reason) {
        if (reason == LossReason.MAX_HOLD || reason == LossReason.CLIENT_CLOSED) {
            throw new IllegalArgumentException(reason + " is no loss that a store tells: "
                    + (reason == LossReason.MAX_HOLD
                            ? "set maxHold in the options of the lock and let time pass"
                            : "close the client"));
        }
        for (Grant taken : takeAway(lockName)) {
            line.tellLoss(taken, reason);
        }
        time.settle();
    }

    /**
     * Another client has the lock from now on. If the application's client held it, the store has forgotten that, as after
     * a failover that lost writes: its lease looks held until the next renewal is answered (after a third of the lease
     * time at most), and only its token shows that it is too old. That is the moment for which there are fencing tokens.
     *
     * @param lockName the lock
     * @return the other client's lease, with a larger token; release it, or it is held until this is closed
     * @throws IllegalStateException if somebody else holds the lock or is first in line for it
     */
    public Lease anotherClientTakes(String lockName) {
        line.takeAway(lockName);
        Lease taken = rival.lock(lockName)
                .tryAcquire()
                .orElseThrow(() -> new IllegalStateException(
                        "'" + lockName + "' cannot be taken: somebody else holds it or is first in line"));
        synchronized (clients) {
            takenByOthers.add(taken);
        }
        time.settle();
        return taken;
    }

    private List<Grant> takeAway(String lockName) {
        List<Grant> taken = line.takeAway(lockName);
        if (taken.isEmpty()) {
            throw new IllegalStateException("the client does not hold '" + lockName + "'");
        }
        return taken;
    }

    /**
     * From now on the application's client gets no answer: each request hangs for the command timeout and has no effect.
     * Other clients are not concerned.
     */
    public void storeIsSilent() {
        line.become(StoreLine.State.SILENT);
    }

    /** From now on each request of the application's client fails at once. Other clients are not concerned. */
    public void storeRefuses() {
        line.become(StoreLine.State.REFUSING);
        time.settle();
    }

    /** The store answers again; requests that hang go on. */
    public void storeAnswers() {
        line.become(StoreLine.State.OPEN);
        time.settle();
    }

    /**
     * Waits, in real time, until threads of the code under test wait for locks (or hang in a silent store). Use it before
     * {@link #timePasses} if the wait begins on another thread.
     *
     * @param count how many
     * @throws AssertionError if there are not so many within ten seconds
     */
    public void awaitWaitingThreads(int count) {
        time.awaitParked(count);
    }

    /** {@return what has happened in the application's client until now} */
    public EventLog events() {
        return events;
    }

    /**
     * Makes a value that is guarded by the fencing tokens of a lock and remembers which tokens it accepted and refused.
     *
     * @param lockName the lock whose tokens count
     * @param initial the first value
     * @param <V> the kind of value
     * @return the guarded value
     */
    public <V> FencedValue<V> fencedValue(String lockName, V initial) {
        return new FencedValue<>(lockName, initial);
    }

    /**
     * Makes ready for another test with the same client: ends every fault, gives back what the other client has taken and
     * what the application's client still holds (it is told so), and forgets events. Time stays as it is.
     */
    public void reset() {
        storeAnswers();
        line.heldNames()
                .forEach(name -> line.takeAway(name).forEach(taken -> line.tellLoss(taken, LossReason.EVICTED)));
        synchronized (clients) {
            takenByOthers.forEach(Lease::release);
            takenByOthers.clear();
        }
        time.settle();
        events.clear();
    }

    /** Closes all clients. Locks that they hold are lost. */
    @Override
    public void close() {
        line.become(StoreLine.State.OPEN);
        List<Holdfast> open;
        synchronized (clients) {
            open = List.copyOf(clients);
        }
        open.forEach(Holdfast::close);
        time.settleAround();
        time.close();
        threads.shutdown();
    }

    /** Settings of {@link TestLocks}. Not thread-safe; each method returns this builder. */
    public static final class Builder {
        private LockOptions defaults = LockOptions.defaults();
        private Duration commandTimeout = Duration.ofSeconds(2);
        private @Nullable HoldfastListener listener;

        private Builder() {}

        /**
         * Sets the options of locks that are made without any.
         *
         * @param options the options
         * @return this builder
         */
        public Builder defaults(LockOptions options) {
            this.defaults = Objects.requireNonNull(options, "options");
            return this;
        }

        /**
         * Sets how long a request hangs in a silent store; two seconds if not given.
         *
         * @param limit at least one millisecond
         * @return this builder
         */
        public Builder commandTimeout(Duration limit) {
            if (limit.toNanos() < TimeUnit.MILLISECONDS.toNanos(1)) {
                throw new IllegalArgumentException("commandTimeout must be at least 1 ms, but was " + limit);
            }
            this.commandTimeout = limit;
            return this;
        }

        /**
         * Sets a listener of the application's client, besides the recorded events.
         *
         * @param eventListener the listener
         * @return this builder
         */
        public Builder listener(HoldfastListener eventListener) {
            this.listener = Objects.requireNonNull(eventListener, "eventListener");
            return this;
        }

        /** {@return the locks} */
        public TestLocks build() {
            return new TestLocks(this);
        }
    }
}
