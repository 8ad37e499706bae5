package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
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

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void waitersThatAreGoneAreSkippedTogether() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
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
