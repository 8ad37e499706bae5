package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that says nothing any more, to clients that hold many leases. P10, P17. */
final class SilenceTest {
    private static final int HELD = 40;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    /** A lease, and when it was over by its own word and by what was told. */
    private static final class Watched {
        private final Lease lease;
        private final CompletableFuture<Long> toldNanos = new CompletableFuture<>();
        private volatile long deadlineNanos;

        Watched(Lease lease) {
            this.lease = lease;
            read();
            lease.onLost(reason -> toldNanos.complete(System.nanoTime()));
        }

        void read() {
            long left = lease.remaining().toNanos();
            if (left > 0) {
                deadlineNanos = System.nanoTime() + left;
            }
        }

        Duration lateness() {
            return Duration.ofNanos(toldNanos.join() - deadlineNanos);
        }
    }

    @Test
    void lossesAreToldByTheirDeadlinesWhileTheServerStandsStill() throws InterruptedException {
        ZooKeeperNode own = ZooKeeperNode.start(rig);
        try (Holdfast client = Holdfast.connect("zookeeper://" + own.address() + "#session=3s")) {
            List<Watched> watched = hold(client);
            own.pause();
            try {
                areToldInTime(watched);
            } finally {
                own.resume();
            }
        }
    }

    /** Everything that brings answers and events is stuck in code of the user's. */
    @Test
    void lossesAreToldByTheirDeadlinesWhileTheThreadsOfTheUsersClientAreBlocked() throws Exception {
        CountDownLatch blocked = new CountDownLatch(1);
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (CuratorFramework curator =
                CuratorFrameworkFactory.newClient("127.0.0.1:" + network.port(), 3_000, 3_000, new RetryOneTime(100))) {
            curator.start();
            curator.getConnectionStateListenable().addListener((listened, state) -> awaitQuietly(blocked));
            try (Holdfast client = Holdfast.builder()
                    .store(ZooKeeperLocks.on(curator).withBase("/blocked"))
                    .commandTimeout(Duration.ofSeconds(1))
                    .build()) {
                List<Watched> watched = hold(client);
                ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
                handle.sync("/", (rc, path, context) -> awaitQuietly(blocked), null);
                network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);

                areToldInTime(watched);
                long begin = System.nanoTime();
                assertThat(CompletableFuture.supplyAsync(() -> isRefused(client)))
                        .succeedsWithin(Duration.ofSeconds(30))
                        .isEqualTo(true);
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
            } finally {
                blocked.countDown();
                network.cut();
                network.heal();
            }
        } finally {
            blocked.countDown();
        }
    }

    /** Only renewals are sent, and their connection is dead: they find that out in time to keep every lease. */
    @Test
    void leasesSurviveAConnectionThatDiesInSilence() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = Holdfast.builder()
                .url("zookeeper://127.0.0.1:" + network.port() + "/survive#session=12s")
                .commandTimeout(Duration.ofMillis(500))
                .build()) {
            List<Watched> watched = hold(client);
            long before = network.accepted();
            network.abandon();

            Tree.await().until(() -> network.accepted() > before);
            Tree.await().until(() -> watched.get(0).lease.remaining().compareTo(Duration.ofSeconds(7)) > 0);
            assertThat(watched).allMatch(each -> each.lease.isHeld());
            assertThat(watched).allMatch(each -> each.lease.release());
        }
    }

    /** It has waited for its connection for a part of its time, and then the server does not answer. */
    @Test
    void callThatWaitedForItsConnectionDoesNotWaitForAWholeTimeoutMore() throws InterruptedException {
        Duration timeout = Duration.ofSeconds(4);
        FaultProxy network = FaultProxy.before(rig, node.port());
        network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
        try (Holdfast client = Holdfast.builder()
                .url("zookeeper://127.0.0.1:" + network.port() + "/waited#session=30s")
                .commandTimeout(timeout)
                .lazy(true)
                .build()) {
            long begin = System.nanoTime();
            CompletableFuture<Boolean> refused = CompletableFuture.supplyAsync(() -> isRefused(client, "late"));
            Tree.await().until(() -> System.nanoTime() - begin > timeout.toNanos() / 3);
            network.heal();
            network.hold(Direction.TO_SERVER, 1, request -> request.contains("/waited/locks/late"));

            assertThat(refused).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(true);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(timeout.plusMillis(500));
            assertThat(network.caught()).as("nothing was silent").isEqualTo(1);
            network.heal();
        }
    }

    private static boolean isRefused(Holdfast client) {
        return isRefused(client, "another");
    }

    private static boolean isRefused(Holdfast client, String name) {
        try {
            client.lock(name).tryAcquire();
            return false;
        } catch (StoreUnavailableException expected) {
            return true;
        }
    }

    private static List<Watched> hold(Holdfast client) throws InterruptedException {
        List<Watched> watched = new ArrayList<>();
        for (int i = 0; i < HELD; i++) {
            watched.add(new Watched(client.lock("silent-" + i).acquire()));
        }
        return watched;
    }

    private static void areToldInTime(List<Watched> watched) {
        Tree.await().until(() -> {
            watched.forEach(Watched::read);
            return watched.stream().allMatch(each -> each.toldNanos.isDone());
        });
        assertThat(watched).allSatisfy(each -> assertThat(each.lateness()).isLessThan(Duration.ofMillis(500)));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            boolean unused = latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }
}
