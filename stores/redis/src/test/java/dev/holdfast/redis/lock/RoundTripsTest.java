package dev.holdfast.redis.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.redis.CommandCounts;
import dev.holdfast.redis.topology.MemberThreads;
import dev.holdfast.redis.topology.OneServer;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.PooledServer;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the server is asked, by its own count. */
final class RoundTripsTest {
    private static final int PAIRS = 50;
    private static final int HELD = 10_000;
    private static final int MOST_ROUND_TRIPS_PER_PERIOD = 25;
    private static final int RENEWALS_PER_LEASE = 3;
    private static final Duration LEASE = Duration.ofSeconds(6);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
    }

    @Test
    void uncontendedPairIsTwoScriptsAndNothingElse() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(redis.url())) {
            DistributedLock lock = locks.lock("solo");
            lock.acquire().close();
            CommandCounts.reset(redis);
            for (int i = 0; i < PAIRS; i++) {
                lock.acquire().close();
            }

            assertThat(CommandCounts.of(redis))
                    .as("a script reads, looks at the clock, and writes")
                    .containsOnly(
                            Map.entry("evalsha", 2L * PAIRS),
                            Map.entry("get", 2L * PAIRS),
                            Map.entry("pttl", 2L * PAIRS),
                            Map.entry("set", 2L * PAIRS));
        }
    }

    @Test
    void severalNamesAreOneScriptToo() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(redis.url())) {
            DistributedLock lock = locks.all("several/a", "several/b", "several/c");
            lock.acquire().close();
            CommandCounts.reset(redis);
            lock.acquire().close();

            assertThat(CommandCounts.of(redis)).containsEntry("evalsha", 2L).doesNotContainKey("eval");
        }
    }

    @Test
    void forgottenScriptsAreSentAgainAndNobodyNotices() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(redis.url());
                Holdfast others = Holdfast.connect(redis.url())) {
            DistributedLock lock = locks.lock("forgotten");
            Lease lease = lock.acquire();
            redis.ask("SCRIPT", "FLUSH");
            assertThat(others.lock("forgotten").tryAcquire()).isEmpty();
            redis.ask("SCRIPT", "FLUSH");
            assertThat(lease.release()).isTrue();
            redis.ask("SCRIPT", "FLUSH");
            assertThat(locks.inspect("forgotten")).isEmpty();
            redis.ask("SCRIPT", "FLUSH");
            assertThat(locks.all("forgotten", "too").tryAcquire())
                    .hasValueSatisfying(both -> assertThat(both.release()).isTrue());
        }
    }

    @Test
    void clientHasOneSubscriptionAndNoMoreConnectionsThanItMay() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, redis.port());
        try (Holdfast locks = Holdfast.connect("redis://127.0.0.1:" + network.port() + "#maxConnections=3")) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                DistributedLock lock = locks.lock("limited/" + i);
                Thread thread = new Thread(() -> {
                    for (int pair = 0; pair < PAIRS; pair++) {
                        lock.tryAcquire().orElseThrow().close();
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(network.accepted()).isLessThanOrEqualTo(3 + 1);
            assertThat(subscriptions()).isEqualTo(1);
        }
        await().untilAsserted(() -> assertThat(network.open()).isZero());
    }

    @Test
    void tenThousandLeasesAreRenewedInAFewRoundTrips() throws InterruptedException {
        AtomicReference<CountingServer> counted = new AtomicReference<>();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> {
                    StoreUri uri = StoreUri.parse(redis.url(), Map.of(), null);
                    Settings settings = Settings.of(uri, context);
                    ConnectionSettings connections =
                            ConnectionSettings.of(Address.of(uri), settings, uri, Access.BY_URL);
                    OverdueWatch watch = new OverdueWatch(context, connections.lookInterval());
                    Clocks clocks = new Clocks(context.clock());
                    HostAndPort address = new HostAndPort("127.0.0.1", redis.port());
                    counted.set(
                            new CountingServer(new PooledServer(address, connections, context.clock(), clocks, watch)));
                    return RedisStore.open(
                            context,
                            settings,
                            new OneServer(counted.get()),
                            clocks,
                            new MemberThreads(context.clientName()),
                            watch::close);
                })
                .build()) {
            LockOptions options = LockOptions.defaults().withLeaseTime(LEASE);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < HELD; i++) {
                leases.add(locks.lock("many/" + i, options).acquire());
            }
            passes(LEASE, leases);
            int before = counted.get().roundTrips();
            passes(LEASE, leases);
            int perPeriod = (counted.get().roundTrips() - before) / RENEWALS_PER_LEASE;

            System.out.println(HELD + " leases: " + perPeriod + " round trips per renewal period");
            assertThat(perPeriod).isPositive().isLessThanOrEqualTo(MOST_ROUND_TRIPS_PER_PERIOD);
            assertThat(leases).allMatch(Lease::isHeld);
        }
    }

    private static int subscriptions() {
        return (int) String.valueOf(redis.ask("CLIENT", "LIST", "TYPE", "PUBSUB"))
                .lines()
                .filter(line -> line.contains(" sub=1 "))
                .count();
    }

    private static void passes(Duration time, List<Lease> leases) {
        long until = System.nanoTime() + time.toNanos();
        await().atMost(time.multipliedBy(3))
                .until(() -> System.nanoTime() - until > 0 && leases.stream().allMatch(Lease::isHeld));
    }
}
