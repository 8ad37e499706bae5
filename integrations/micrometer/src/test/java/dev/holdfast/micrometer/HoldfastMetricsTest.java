package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class HoldfastMetricsTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final HoldfastMetrics metrics = HoldfastMetrics.of(registry);

    private static Holdfast open(String url, HoldfastListener listener) {
        return Holdfast.builder().url(url).listener(listener).build();
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).meter().measure().iterator().next().getValue();
    }

    private long acquires(String outcome) {
        return registry.get("holdfast.acquire").tags("outcome", outcome).timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }

    @Test
    void runsOnTheVersionThatIsMeant() {
        assertThat(MeterRegistry.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .endsWith("micrometer-core-" + System.getProperty("holdfast.micrometer.version") + ".jar");
    }

    @Test
    void gaugesFollowWhatIsHeldAndWhoWaits() throws InterruptedException {
        try (Holdfast locks = open("memory:", metrics)) {
            Lease first = locks.lock("orders/1").acquire();
            CompletableFuture<Lease> second = locks.lock("orders/1").acquireAsync();
            await().until(() -> value("holdfast.waiting") == 1);
            assertThat(value("holdfast.held")).isEqualTo(1);
            first.close();
            second.join().close();
            assertThat(value("holdfast.held")).isZero();
            assertThat(value("holdfast.waiting")).isZero();
        }
    }

    @Test
    void timersAndCountersTellHowAttemptsEnd() throws InterruptedException {
        try (Holdfast locks = open("memory:", metrics)) {
            Lease first = locks.lock("a").acquire();
            assertThat(locks.lock("a").tryAcquire()).isEmpty();
            locks.lock("a").acquireAsync().cancel(true);
            CompletableFuture<Lease> next = locks.lock("a").acquireAsync();
            first.close();
            next.join().close();
            await().untilAsserted(() -> {
                assertThat(acquires("acquired")).isEqualTo(2);
                assertThat(acquires("contended")).isEqualTo(1);
                assertThat(acquires("abandoned")).isEqualTo(1);
                assertThat(registry.get("holdfast.acquire")
                                .tag("source", "hand_off")
                                .timer()
                                .count())
                        .isEqualTo(1);
                assertThat(registry.get("holdfast.hold").timer().count()).isEqualTo(2);
            });
            assertThat(value("holdfast.handoffs", "scope", "local")).isEqualTo(1);
            assertThat(value("holdfast.store.calls", "operation", "acquire", "outcome", "answered"))
                    .isEqualTo(1);
        }
    }

    @Test
    void anAttemptThatTheClientEndsHasFailed() throws InterruptedException {
        Holdfast locks = open("memory:", metrics);
        Lease unused = locks.lock("a").acquire();
        CompletableFuture<Lease> waiting = locks.lock("a").acquireAsync();
        locks.close();
        assertThatThrownBy(waiting::join).hasMessageContaining("closed");
        await().untilAsserted(() -> assertThat(acquires("failed")).isEqualTo(1));
        await().untilAsserted(() ->
                assertThat(value("holdfast.losses", "reason", "client_closed")).isEqualTo(1));
        assertThat(value("holdfast.held")).isZero();
        assertThat(value("holdfast.waiting")).isZero();
    }

    @Test
    void handOversBetweenClientsAndLossesAreCounted() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:metrics");
                Holdfast locks = open("memory:metrics", metrics)) {
            Lease theirs = other.lock("a").acquire();
            CompletableFuture<Lease> ours = locks.lock("a").acquireAsync();
            await().until(() -> other.inspect("a").orElseThrow().waiters().size() == 1);
            theirs.close();
            Lease lease = ours.join();
            assertThat(value("holdfast.handoffs", "scope", "remote")).isEqualTo(1);
            assertThat(locks.evict("a", "a test")).isEqualTo(1);
            await().untilAsserted(() ->
                    assertThat(value("holdfast.losses", "reason", "evicted")).isEqualTo(1));
            await().untilAsserted(() -> assertThat(value("holdfast.evictions")).isEqualTo(1));
            assertThat(value("holdfast.held")).isZero();
            lease.release();
        }
    }

    @Test
    void renewalsAreTimed() throws InterruptedException {
        LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(1));
        try (Holdfast locks = open("memory:", metrics);
                Lease unused = locks.lock("a", brief).acquire()) {
            await().until(() -> registry.get("holdfast.renewal.lag").timer().count() > 0);
            assertThat(value("holdfast.store.calls", "operation", "renew", "outcome", "answered"))
                    .isPositive();
            assertThat(value("holdfast.renewal.overdue")).isLessThan(1.0);
        }
    }

    @Test
    void gaugesStayRightWhenEventsAreDropped() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        HoldfastListener slow = event -> {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (Holdfast locks = open("memory:", HoldfastListener.all(metrics, slow))) {
            for (int i = 0; i < 51_000; i++) {
                locks.lock("a").acquire().close();
            }
            Lease last = locks.lock("last").acquire();
            assertThat(value("holdfast.events.dropped")).isPositive();
            assertThat(value("holdfast.held")).isEqualTo(1);
            last.close();
            assertThat(value("holdfast.held")).isZero();
            stuck.countDown();
        }
    }

    @Test
    void totalsOutliveTheClientsThatCounted() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            try (Holdfast locks = open("memory:", metrics)) {
                locks.lock("a").acquire().close();
            }
        }
        assertThat(value("holdfast.store.calls", "operation", "acquire", "outcome", "answered"))
                .isEqualTo(3);
    }

    @Test
    void namesOfLocksAreNoTagsUnlessAFunctionMakesThem() throws InterruptedException {
        MeterRegistry named = new SimpleMeterRegistry();
        HoldfastMetrics byKind = HoldfastMetrics.builder(named)
                .tags(Tags.of("app", "shop"))
                .lockTag(name -> name.startsWith("orders/") ? "orders" : null)
                .build();
        try (Holdfast locks = open("memory:", HoldfastListener.all(metrics, byKind))) {
            locks.lock("orders/1").acquire().close();
            locks.lock("orders/2").acquire().close();
            locks.lock("something").acquire().close();
            await().until(() -> named.get("holdfast.hold")
                            .tags("lock", "other", "app", "shop")
                            .timer()
                            .count()
                    == 1);
            assertThat(named.get("holdfast.hold").tag("lock", "orders").timer().count())
                    .isEqualTo(2);
            assertThat(registry.get("holdfast.hold").timer().getId().getTags()).isEmpty();
        }
    }

    @Test
    void tooManyTagsBecomeOne() throws InterruptedException {
        MeterRegistry named = new SimpleMeterRegistry();
        HoldfastMetrics perName =
                HoldfastMetrics.builder(named).lockTag(name -> name).build();
        try (Holdfast locks = open("memory:", perName)) {
            for (int i = 0; i < 1_100; i++) {
                locks.lock("lock-" + i).acquire().close();
            }
            await().until(() -> named.get("holdfast.hold").timers().stream()
                            .mapToLong(Timer::count)
                            .sum()
                    == 1_100);
            assertThat(named.get("holdfast.hold").timers()).hasSizeLessThanOrEqualTo(1_001);
            assertThat(named.get("holdfast.hold").tag("lock", "other").timer().count())
                    .isGreaterThanOrEqualTo(99);
        }
    }
}
