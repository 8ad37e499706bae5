package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * What one test of a store's steps works with: peers that are closed with the test, fresh names, and claims that are
 * withdrawn in the end, after which nothing may be left in the store. Made and closed by one thread; the rest is
 * thread-safe.
 */
final class StoreFixture implements AutoCloseable {
    private static final Duration CALM_LEASE = Duration.ofSeconds(30);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);
    private static final long ORIGIN_NANOS = System.nanoTime();

    private final StoreUnderTest underTest;
    private final String prefix;
    private final AtomicInteger counter = new AtomicInteger();
    private final List<Peer> peers = new CopyOnWriteArrayList<>();
    private final List<Claim> claims = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(StoreFixture::newThread);
    private final ExecutorService io = Executors.newCachedThreadPool(StoreFixture::newThread);
    private @Nullable Peer observer;

    StoreFixture(StoreUnderTest underTest) {
        this.underTest = underTest;
        this.prefix = String.format(
                Locale.ROOT, "tck-%016x/", ThreadLocalRandom.current().nextLong());
    }

    /** The clock of every context of the suite: one origin per process, never negative. */
    static long nanos() {
        return System.nanoTime() - ORIGIN_NANOS;
    }

    /** {@return a new client of the store} */
    Peer peer() {
        Peer.Ear ear = new Peer.Ear();
        LockStore store = underTest.open(new StoreContext(
                "tck-peer-" + counter.incrementAndGet(),
                StoreFixture::nanos,
                this::schedule,
                io,
                COMMAND_TIMEOUT,
                new Random(),
                ear));
        Peer peer = new Peer(store, ear);
        peers.add(peer);
        return peer;
    }

    /** A client that takes no part. */
    Peer observer() {
        Peer known = observer;
        if (known == null) {
            known = peer();
            PromiseReport.note(storeName(), known.store().traits());
            observer = known;
        }
        return known;
    }

    StoreTraits traits() {
        return observer().store().traits();
    }

    /** Reports the test as not applicable, unless the store makes all these promises. */
    void needs(StoreTraits.Promise... promises) {
        for (StoreTraits.Promise promise : promises) {
            assumeTrue(
                    traits().promises(promise),
                    () -> storeName() + " does not promise: " + promise.explanation() + " (" + promise + ")");
        }
    }

    /** Reports the test as not applicable, unless grants end by a time of the store's clock. */
    void needsLeases() {
        assumeTrue(
                traits().expiry() == StoreTraits.Expiry.LEASE,
                () -> storeName() + " ends the grants of a silent client by its session and not by a lease");
    }

    String name() {
        return prefix + counter.incrementAndGet();
    }

    String prefix() {
        return prefix;
    }

    Duration calmLease() {
        Duration longest = traits().longestLease();
        return longest.compareTo(CALM_LEASE) < 0 ? longest : CALM_LEASE;
    }

    Duration shortLease() {
        Duration shortest = traits().shortestLease();
        return underTest.shortLease().compareTo(shortest) < 0 ? shortest : underTest.shortLease();
    }

    /** {@return a claim of a new owner for the whole of some names, with a lease that no test outlives} */
    Claim claim(String... names) {
        List<Claim.Part> parts = List.of(names).stream()
                .sorted()
                .map(name -> new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1))
                .toList();
        return claim(parts, calmLease());
    }

    /** {@return a claim of a new owner that soon runs out} */
    Claim briefClaim(String name) {
        return claim(List.of(new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1)), shortLease());
    }

    /** {@return a claim of a new owner for some permits} */
    Claim permits(String name, int units, int capacity) {
        return claim(List.of(new Claim.Part(name, LockKind.SEMAPHORE, units, capacity)), calmLease());
    }

    /** {@return a claim of a new owner for one unit of many} */
    Claim reader(String name) {
        return reader(name, calmLease());
    }

    Claim reader(String name, Duration lease) {
        return claim(List.of(new Claim.Part(name, LockKind.READ_WRITE, 1, Claim.MANY)), lease);
    }

    /** {@return a claim of a new owner for all units of many} */
    Claim writer(String name) {
        return claim(List.of(new Claim.Part(name, LockKind.READ_WRITE, Claim.MANY, Claim.MANY)), calmLease());
    }

    Claim claim(List<Claim.Part> parts, Duration lease) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        OwnerId owner = new OwnerId(random.nextLong(), random.nextLong());
        Claim claim = new Claim(parts, owner, lease, new Claim.HolderInfo("tck", "label of " + owner), false);
        claims.add(claim);
        return claim;
    }

    /** {@return a wait for something that must come true in the end} */
    ConditionFactory await() {
        return Awaitility.await()
                .atMost(underTest.patience())
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL_INTERVAL)
                .pollInSameThread();
    }

    /** Waits until nobody holds a name. */
    void untilFree(String name) {
        await().untilAsserted(() -> assertThat(view(name).holders()).isEmpty());
    }

    /** {@return what the store shows of a name, an empty view if nothing} */
    LockView view(String name) {
        return observer()
                .store()
                .inspect(name)
                .orElseGet(() -> new LockView(name, LockKind.EXCLUSIVE, 1, List.of(), List.of(), Optional.empty()));
    }

    Task<Boolean> run(Fixture.Work work) {
        return Task.start("tck-task-" + counter.incrementAndGet(), underTest.patience(), () -> {
            work.run();
            return true;
        });
    }

    /** Withdraws every claim, then checks that nothing is left. */
    @Override
    public void close() {
        try {
            LockStore last = observer().store();
            for (Claim claim : claims) {
                peers.forEach(peer -> peer.store().withdraw(claim, false));
            }
            await().untilAsserted(() -> assertThat(last.list(prefix, 10))
                    .as("left behind in the store")
                    .isEmpty());
        } finally {
            peers.forEach(peer -> peer.store().close());
            timer.shutdownNow();
            io.shutdownNow();
        }
    }

    private String storeName() {
        String url = underTest.url();
        return url.substring(0, url.indexOf(':'));
    }

    private Runnable schedule(Duration delay, Runnable task) {
        Future<?> scheduled = timer.schedule(() -> io.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> scheduled.cancel(false);
    }

    private static Thread newThread(Runnable work) {
        Thread thread = new Thread(work, "tck-store");
        thread.setDaemon(true);
        return thread;
    }
}
