package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What replicas have to acknowledge, with one of them: that of real failovers is in {@link SentinelFailoverTest}. */
final class ReplicasTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));

    @RegisterExtension
    final Rig rig = new Rig();

    private RedisNode master;
    private RedisNode replica;
    private Holdfast locks;

    @BeforeEach
    void start() throws InterruptedException {
        master = RedisNode.start(rig);
        replica = RedisNode.start(rig, RedisSettings.defaults().withLines("replicaof 127.0.0.1 " + master.port()));
        await().atMost(PATIENCE)
                .until(() -> String.valueOf(master.ask("INFO", "replication")).contains("state=online"));
        locks = Holdfast.connect(master.url() + "#replicas=1&replicasTimeout=200ms");
    }

    @AfterEach
    void close() throws InterruptedException {
        replica.resume();
        locks.close();
    }

    @Test
    void acknowledgedGrantIsKnownToTheReplica() throws InterruptedException {
        Lease lease = locks.lock("acknowledged", BRIEF).acquire();

        assertThat(replica.ask("EXISTS", "holdfast:{acknowledged}")).isEqualTo(1L);
        Outcomes.outlives(lease, BRIEF);
    }

    @Test
    void grantThatTheReplicaDoesNotAcknowledgeIsNoGrantAndIsGivenBack() throws InterruptedException {
        replica.pause();

        assertThatThrownBy(() -> locks.lock("unacknowledged").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("0 of the 1 replicas");
        try (Holdfast others = Holdfast.connect(master.url())) {
            assertThat(others.lock("unacknowledged").tryAcquire(PATIENCE)).isPresent();
        }
    }

    @Test
    void renewalThatTheReplicaDoesNotAcknowledgeDoesNotCount() throws InterruptedException {
        Lease lease = locks.lock("renewed", BRIEF).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        replica.pause();

        assertThat(Outcomes.of(told)).isEqualTo(LossReason.EXPIRED);
    }
}
