package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdCluster;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.etcd.EtcdSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cluster of three loses its leader, or a member falls silent, while locks are held and waited for. */
final class ClusterFaultsTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdCluster cluster;

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = EtcdCluster.start(rig, EtcdSettings.defaults());
    }

    @AfterEach
    void mend() throws InterruptedException {
        for (EtcdNode node : cluster.nodes()) {
            if (!node.server().isRunning()) {
                node.start();
            }
            if (node.server().isPaused()) {
                node.resume();
            }
            cluster.unmute(node);
        }
        cluster.awaitServing();
    }

    private static Holdfast client(String addresses) {
        return client(addresses, 10);
    }

    private static Holdfast client(String addresses, int sessionSeconds) {
        return Holdfast.builder()
                .url("etcd://" + addresses + "/faults#session=" + sessionSeconds + "s")
                .commandTimeout(Duration.ofSeconds(2))
                .build();
    }

    /** The held lease stays, nobody else gets it, and it is handed on afterwards. */
    private static void survives(String name, Fault fault, Holdfast holder, Holdfast waiter)
            throws InterruptedException {
        Lease lease = holder.lock(name).acquire();
        CompletableFuture<Lease> next = waiter.lock(name).acquireAsync();
        await().atMost(Soon.PATIENCE)
                .until(() -> holder.inspect(name).orElseThrow().waiters().size() == 1);
        fault.happen();
        await().atMost(Soon.PATIENCE)
                .ignoreException(StoreUnavailableException.class)
                .until(() -> {
                    try (Lease other = waiter.lock(name + "-other").acquire()) {
                        return other.isHeld();
                    }
                });
        assertThat(lease.isHeld()).isTrue();
        assertThat(next).isNotDone();
        lease.close();
        Lease second = Soon.get(next);
        assertThat(second.token()).isGreaterThan(lease.token());
        second.close();
    }

    private interface Fault {
        void happen() throws InterruptedException;
    }

    @Test
    void leaderIsKilled() throws InterruptedException {
        try (Holdfast holder = client(cluster.addresses());
                Holdfast waiter = client(cluster.addresses())) {
            survives("killed", () -> cluster.leader().kill(), holder, waiter);
        }
    }

    @Test
    void leaderIsPaused() throws InterruptedException {
        try (Holdfast holder = client(cluster.addresses());
                Holdfast waiter = client(cluster.addresses())) {
            survives("paused", () -> cluster.leader().pause(), holder, waiter);
        }
    }

    @Test
    void leaderIsNotHeardByTheOthers() throws InterruptedException {
        try (Holdfast holder = client(cluster.addresses());
                Holdfast waiter = client(cluster.addresses())) {
            survives("mute", () -> cluster.mute(cluster.leader()), holder, waiter);
        }
    }

    /** Clients that know one member only: it answers what it knows alone, which must not keep a lease alive. */
    @Test
    void leaseOfAClientBehindAMuteMemberIsLostBeforeItIsGrantedAgain() throws InterruptedException {
        EtcdNode leader = cluster.leader();
        EtcdNode follower = cluster.nodes().stream()
                .filter(node -> node != leader)
                .findFirst()
                .orElseThrow();
        try (Holdfast cutOff = client(follower.address(), 3);
                Holdfast other = client(leader.address())) {
            Lease lease = cutOff.lock("behind").acquire();
            cluster.mute(follower);
            Optional<Lease> next = other.lock("behind").tryAcquire(Soon.PATIENCE);
            assertThat(next).as("granted to the other").isPresent();
            assertThat(lease.isHeld())
                    .as("still held when another was granted it")
                    .isFalse();
            assertThat(next.orElseThrow().token()).isGreaterThan(lease.token());
            next.orElseThrow().close();
        }
    }
}
