package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * What one test works with: names that nobody else uses, clients and threads that end with the test. At the end it
 * checks, for every test, that nothing is left: no entry in the store and no thread of a client. Made and closed by one
 * thread; the rest is thread-safe.
 */
final class Fixture implements AutoCloseable {
    private static final Duration CALM_LEASE = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);
    private static final int MOST_LOOKED_AT = 1_000;
    private static final int MOST_REPORTED = 10;

    private final StoreUnderTest store;
    private final String prefix;
    private final AtomicInteger counter = new AtomicInteger();
    private final List<Holdfast> clients = new CopyOnWriteArrayList<>();
    private final List<Link> links = new CopyOnWriteArrayList<>();
    private final List<WorkerProcess> workers = new CopyOnWriteArrayList<>();
    private final List<Task<?>> tasks = new CopyOnWriteArrayList<>();
    private final Set<String> excused = ConcurrentHashMap.newKeySet();
    private final Set<Thread> earlierThreads = Threads.ofClients();
    private @Nullable Holdfast observer;

    /** A client and the line to its store. */
    record Linked(Holdfast client, Link link) {}

    /** Something to do. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    Fixture(StoreUnderTest store) {
        this.store = store;
        this.prefix = String.format(
                Locale.ROOT, "tck-%016x/", ThreadLocalRandom.current().nextLong());
    }

    /** A client that holds and waits for nothing: looks at the store, and is the last to go. */
    Holdfast observer() {
        Holdfast known = observer;
        if (known == null) {
            known = Holdfast.builder()
                    .url(store.url())
                    .clientName("tck-observer")
                    .build();
            PromiseReport.note(storeName(), known.traits());
            observer = known;
        }
        return known;
    }

    StoreTraits traits() {
        return observer().traits();
    }

    /** Reports the test as not applicable, unless the store makes all these promises. */
    void needs(StoreTraits.Promise... promises) {
        for (StoreTraits.Promise promise : promises) {
            assumeTrue(
                    traits().promises(promise),
                    () -> storeName() + " does not promise: " + promise.explanation() + " (" + promise + ")");
        }
    }

    /** Reports the test as not applicable if the store makes this promise. */
    void needsNot(StoreTraits.Promise promise) {
        assumeFalse(
                traits().promises(promise),
                () -> storeName() + " promises: " + promise.explanation() + " (" + promise + ")");
    }

    /** Reports the test as not applicable, unless grants end by a time of the store's clock. */
    void needsLeases() {
        assumeTrue(
                traits().expiry() == StoreTraits.Expiry.LEASE,
                () -> storeName() + " ends the grants of a silent client by its session and not by a lease");
    }

    String url() {
        return store.url();
    }

    /** {@return a name that nobody has used before} */
    String name() {
        return prefix + counter.incrementAndGet();
    }

    /** {@return what all names of this test begin with} */
    String prefix() {
        return prefix;
    }

    /** {@return options with a lease that no test outlives} */
    LockOptions calm() {
        Duration longest = traits().longestLease();
        return LockOptions.defaults().withLeaseTime(longest.compareTo(CALM_LEASE) < 0 ? longest : CALM_LEASE);
    }

    /** {@return options with a lease that soon runs out when it is not renewed} */
    LockOptions brief() {
        return LockOptions.defaults().withLeaseTime(shortLease());
    }

    /** {@return options with a lease that is renewed within a test, yet survives a busy machine} */
    LockOptions renewed() {
        return LockOptions.defaults().withLeaseTime(shortLease().multipliedBy(5));
    }

    Duration shortLease() {
        Duration shortest = traits().shortestLease();
        return store.shortLease().compareTo(shortest) < 0 ? shortest : store.shortLease();
    }

    Duration patience() {
        return store.patience();
    }

    /** {@return a new client, closed with the test} */
    Holdfast client() {
        return client(builder -> builder);
    }

    /** {@return a new client that is set up further, closed with the test} */
    Holdfast client(UnaryOperator<HoldfastBuilder> setUp) {
        return opened(setUp.apply(builder().url(store.url())).build());
    }

    /** {@return a new client whose line to the store can be disturbed} */
    Linked linkedClient() {
        return linkedClient(builder -> builder);
    }

    /** {@return a new client that is set up further and whose line to the store can be disturbed} */
    Linked linkedClient(UnaryOperator<HoldfastBuilder> setUp) {
        Link link = new Link();
        links.add(link);
        Holdfast client = opened(setUp.apply(builder().store(context -> link.connect(context, store::open)))
                .build());
        return new Linked(client, link);
    }

    /** {@return a client in a process of its own, which ends with the test} */
    WorkerProcess worker(LockOptions options) {
        WorkerProcess worker = WorkerProcess.start(
                store.url(), "tck-worker-" + counter.incrementAndGet(), options.leaseTime(), patience());
        workers.add(worker);
        return worker;
    }

    /** Does something on a thread of its own, which ends with the test. */
    <T> Task<T> start(Callable<T> work) {
        Task<T> task = Task.start("tck-task-" + counter.incrementAndGet(), patience(), work);
        tasks.add(task);
        return task;
    }

    /** Does something without a result on a thread of its own, which ends with the test. */
    Task<Boolean> run(Work work) {
        return start(() -> {
            work.run();
            return true;
        });
    }

    /** {@return a wait for something that must come true in the end} */
    ConditionFactory await() {
        return Awaitility.await()
                .atMost(patience())
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL_INTERVAL)
                .pollInSameThread();
    }

    /**
     * Waits for a future's outcome.
     *
     * @throws Exception what the future failed with, itself
     */
    <T> T outcome(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(patience().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw new AssertionError("the future failed", failed.getCause());
        } catch (TimeoutException late) {
            throw new AssertionError("the future is not complete after " + patience(), late);
        }
    }

    /** Waits until this many claims stand in the store's line for a name; needs a store that sees waiters. */
    void untilWaiters(String name, int count) {
        await().untilAsserted(() ->
                assertThat(waiters(name)).as("waiters of %s", name).hasSize(count));
    }

    /** {@return who waits in the store for a name} */
    List<LockView.Waiter> waiters(String name) {
        return observer().inspect(name).map(LockView::waiters).orElse(List.of());
    }

    /** A client closes while the store cannot be reached: what it leaves there ends with its leases, after the test. */
    void excuse(Holdfast client) {
        excused.add(client.clientName());
    }

    /** {@return what clients have left in the store, a few of them} */
    private List<LockView> leftBehind(Holdfast looking) {
        return looking.list(prefix, MOST_LOOKED_AT).stream()
                .filter(view -> !view.holders().stream().allMatch(holder -> excused.contains(holder.clientName()))
                        || !view.waiters().stream().allMatch(waiter -> excused.contains(waiter.clientName())))
                .limit(MOST_REPORTED)
                .toList();
    }

    /** Waits until a client without any special right can take the name, and gives it back. */
    long takeInTheEnd(Holdfast client, String name) throws InterruptedException {
        Optional<Lease> lease = client.lock(name, calm()).tryAcquire(patience());
        assertThat(lease).as("%s can be taken in the end", name).isPresent();
        try (Lease taken = lease.orElseThrow()) {
            return taken.token();
        }
    }

    /** Ends what the test has started, then checks that nothing is left. */
    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
        links.forEach(Link::heal);
        clients.forEach(Holdfast::close);
        tasks.forEach(Task::end);
        Holdfast last = observer;
        if (last != null) {
            try {
                await().untilAsserted(() -> assertThat(leftBehind(last))
                        .as("left behind in the store")
                        .isEmpty());
            } finally {
                last.close();
            }
        }
        // Some libraries take a tenth of a second to end a thread, and the next test can begin meanwhile.
        await().untilAsserted(() -> assertThat(Threads.leaving())
                .as("threads left behind by clients of an earlier test")
                .isEmpty());
        Threads.leave(earlierThreads);
    }

    String storeName() {
        String url = store.url();
        return url.substring(0, url.indexOf(':'));
    }

    /** {@return a builder for a client of this test that has no store yet} */
    HoldfastBuilder builder() {
        return Holdfast.builder()
                .clientName("tck-client-" + counter.incrementAndGet())
                .defaults(calm());
    }

    /** Closes a client with the test. */
    Holdfast opened(Holdfast client) {
        clients.add(client);
        return client;
    }
}
