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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Dead waiters in a cluster, where no script can see who listens: each has its turn for as long as a grant lasts that is not
 * confirmed, and then the next one has it.
 */
@Tag("full")
final class ClusterLineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int DEAD = 2;

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void waitersThatAreGoneAreSkippedInTheEnd() throws InterruptedException {
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

            await().atMost(PATIENCE).until(() -> living.isGranted(behind));
        }
    }
}
