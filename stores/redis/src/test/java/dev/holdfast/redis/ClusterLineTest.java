package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Dead waiters in a cluster, where no script can see who listens: the first has its turn for as long as a grant lasts that is
 * not confirmed; then all are asked whether they live, and those that do not answer are passed over.
 */
final class ClusterLineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int DEAD = 8;

    /** More than twice as many as one run of a script looks at. */
    private static final int CROWD = 600;

    /** Of a crowd that is not passed over, 256 at a time would have to run out of patience first: more than 16 s. */
    private static final Duration SOON = Duration.ofSeconds(8);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisCluster cluster;

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = RedisCluster.start(rig, RedisSettings.defaults());
    }

    @Test
    void crowdThatIsGoneIsSkippedTogether() {
        try (BareClient living = new BareClient(cluster.url())) {
            List<Grant> held = living.take(BareClient.claim(LEASE, "crowd"));
            try (BareClient dead = new BareClient(cluster.url())) {
                dead.store().tryAcquire(BareClient.claim(LEASE, "crowd"));
            }
            RedisNode master = cluster.masterOf("holdfast:{crowd}");
            DeadWaitersTest.crowd(master, "crowd", CROWD, Duration.ofSeconds(20).toMillis());
            Claim behind = BareClient.claim(LEASE, "crowd");
            assertThat(living.store().tryAcquire(behind)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(master.ask("ZCARD", "holdfast:{crowd}:q")).isEqualTo(CROWD + 2L);
            long begin = System.nanoTime();
            living.store().release(held);

            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(250)).until(() -> living.isGranted(behind));
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
        }
    }

    /** Who was passed over without having been heard of in time has its place again as soon as it asks. */
    @Test
    void waiterThatIsHeardOfAfterItsCrowdWasPassedOverIsServedBeforeThoseBehindIt() {
        try (BareClient living = new BareClient(cluster.url())) {
            List<Grant> held = living.take(BareClient.claim(LEASE, "late"));
            try (BareClient dead = new BareClient(cluster.url())) {
                dead.store().tryAcquire(BareClient.claim(LEASE, "late"));
            }
            RedisNode master = cluster.masterOf("holdfast:{late}");
            DeadWaitersTest.crowd(
                    master, "late", CROWD / 10, Duration.ofSeconds(20).toMillis());
            Claim late = BareClient.claim(LEASE, "late");
            living.store().tryAcquire(late);
            Claim behind = BareClient.claim(LEASE, "late");
            living.store().tryAcquire(behind);
            living.store().release(held);
            // The first one never asks of its own accord: it is passed over, and the one behind it is granted.
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(250)).until(() -> living.isGranted(behind));
            Claim newcomer = BareClient.claim(LEASE, "late");
            living.store().tryAcquire(newcomer);
            assertThat(living.isGranted(late)).as("it is taken").isFalse();
            living.pushed.clear();
            living.store().withdraw(behind, false);

            await().atMost(PATIENCE).until(() -> !living.pushed.isEmpty() || living.isGranted(late));
            assertThat(living.isGranted(newcomer)).isFalse();
        }
    }

    @Test
    void waitersThatAreGoneAreSkippedTogether() throws InterruptedException {
        try (BareClient living = new BareClient(cluster.url())) {
            List<Grant> held = living.take(BareClient.claim(LEASE, "gone"));
            for (int i = 0; i < DEAD; i++) {
                try (BareClient dead = new BareClient(cluster.url())) {
                    assertThat(dead.store().tryAcquire(BareClient.claim(LEASE, "gone")))
                            .isInstanceOf(AcquireOutcome.Contended.class);
                }
            }
            Claim behind = BareClient.claim(LEASE, "gone");
            assertThat(living.store().tryAcquire(behind)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(cluster.masterOf("holdfast:{gone}").ask("ZCARD", "holdfast:{gone}:q"))
                    .as("all stand in line")
                    .isEqualTo(DEAD + 1L);
            living.store().release(held);

            // As a client of the whole API does, it asks when it is told to, or after the hint.
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(() -> living.isGranted(behind));
            assertThat(cluster.masterOf("holdfast:{gone}").ask("ZCARD", "holdfast:{gone}:q"))
                    .as("one of them was granted the lock in vain, and nobody waits for the others")
                    .isEqualTo(DEAD - 1L);
        }
    }
}
