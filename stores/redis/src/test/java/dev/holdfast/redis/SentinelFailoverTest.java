package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A master that fails over to a replica, with and without the writes of the last moment. */
@Tag("full")
final class SentinelFailoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final LockOptions CALM = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20));
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));

    @RegisterExtension
    final Rig rig = new Rig();

    private RedisSentinels group;
    private final List<Holdfast> clients = new ArrayList<>();

    @BeforeEach
    void start() throws InterruptedException {
        group = RedisSentinels.start(rig, RedisSettings.defaults());
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
    }

    @Test
    void locksGoOnAndTokensStayInOrderUnderLoad() throws InterruptedException {
        try (Traffic traffic = new Traffic(group.url(), "busy", 3)) {
            await().atMost(PATIENCE).until(() -> traffic.count() > 100);
            group.failOver();
            int afterFirst = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > afterFirst + 100);
            group.holdReplicas();
            int whileHeld = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > whileHeld + 100);
            group.loseMaster();
            int afterSecond = traffic.count();
            await().atMost(PATIENCE).until(() -> traffic.count() > afterSecond + 100);
            traffic.endAndCheckByGeneration(2);
        }
    }

    @Test
    void failoverThatLosesTheLastWritesDoesNotRepeatATokenAndTheLosersAreTold() throws InterruptedException {
        Holdfast locks = client("");
        locks.lock("lost").acquire().close();
        group.holdReplicas();
        long largest = 0;
        for (int i = 0; i < 20; i++) {
            Lease lease = locks.lock("lost", CALM).acquire();
            largest = Math.max(largest, lease.token());
            lease.close();
        }
        Lease forgotten = locks.lock("forgotten", BRIEF).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        forgotten.onLost(told::complete);
        group.loseMaster();

        assertThat(locks.lock("lost").tryAcquire(PATIENCE).orElseThrow().token())
                .isGreaterThan(largest);
        assertThat(Outcomes.of(told)).isEqualTo(LossReason.EXPIRED);
        assertThat(locks.lock("forgotten").tryAcquire(PATIENCE).orElseThrow().token())
                .isGreaterThan(forgotten.token());
    }

    @Test
    void holdersAndWaitersSurviveAnOrderlyFailover() throws InterruptedException {
        Holdfast locks = client("");
        Holdfast others = client("");
        Lease held = locks.lock("kept", CALM).acquire();
        CompletableFuture<Lease> waiter = others.lock("kept", CALM).acquireAsync();
        await().until(() -> locks.inspect("kept").orElseThrow().waiters().size() == 1);
        RedisNode old = group.master();
        group.failOver();
        assertThat(group.master().port()).isNotEqualTo(old.port());

        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isTrue();
        assertThat(Outcomes.of(waiter).token()).isGreaterThan(held.token());
    }

    @Test
    void acknowledgedGrantIsKnownToReplicas() throws InterruptedException {
        Holdfast locks = client("#replicas=2");
        Lease lease = locks.lock("acknowledged", BRIEF).acquire();
        for (RedisNode replica : group.replicas()) {
            assertThat(replica.ask("EXISTS", "holdfast:{acknowledged}")).isEqualTo(1L);
        }
        Outcomes.outlives(lease, BRIEF);
        Holdfast others = client("#replicas=2");
        CompletableFuture<Lease> waiter = others.lock("acknowledged", BRIEF).acquireAsync();
        await().until(() ->
                locks.inspect("acknowledged").orElseThrow().waiters().size() == 1);
        assertThat(lease.release()).isTrue();

        assertThat(Outcomes.of(waiter).token()).isGreaterThan(lease.token());
        assertThat(locks.traits().failover()).contains("2 replicas");
    }

    @Test
    void grantThatReplicasDoNotAcknowledgeIsNoGrantAndIsGivenBack() throws InterruptedException {
        Holdfast locks = client("#replicas=3&replicasTimeout=200ms");
        assertThatThrownBy(() -> locks.lock("unacknowledged").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("2 of the 3 replicas");
        assertThat(client("").lock("unacknowledged").tryAcquire(PATIENCE)).isPresent();
    }

    @Test
    void renewalThatReplicasDoNotAcknowledgeDoesNotCount() throws InterruptedException {
        Holdfast locks = client("#replicas=1&replicasTimeout=200ms");
        Lease lease = locks.lock("renewed", BRIEF).acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        group.holdReplicas();

        assertThat(Outcomes.of(told)).isEqualTo(LossReason.EXPIRED);
        group.loseMaster();
        assertThat(locks.lock("renewed").tryAcquire(PATIENCE).orElseThrow().token())
                .isGreaterThan(lease.token());
    }

    @Test
    void unknownMasterIsAMisconfigurationAndDeadSentinelsAreUnavailability() throws InterruptedException {
        String url = group.url();
        assertThatThrownBy(() -> Holdfast.connect(url.substring(0, url.lastIndexOf('/')) + "/nonesuch"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("master");
        group.sentinels().get(0).kill();
        group.sentinels().get(1).kill();
        assertThat(client("").lock("two sentinels less").tryAcquire()).isPresent();
        group.sentinels().get(2).kill();
        assertThatThrownBy(() -> Holdfast.connect(url)).isInstanceOf(StoreUnavailableException.class);
    }

    private Holdfast client(String options) {
        Holdfast client = Holdfast.connect(group.url() + options);
        clients.add(client);
        return client;
    }
}
