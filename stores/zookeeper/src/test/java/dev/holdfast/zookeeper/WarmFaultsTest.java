package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two faults at once, for clients that hold much and wait for much. */
final class WarmFaultsTest {
    private static final int HELD = 20;
    private static final int SESSION_MILLIS = 60_000;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    /** The releases are repeated in the next session, where they must not find the leases of those who came after. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void sessionThatEndsWhileLeasesAreGivenBackTakesNothingFromTheNextHolders(Mode mode) throws Exception {
        FaultProxy network = FaultProxy.before(rig, node.port());
        String base = "/giving-back-" + mode.word();
        try (CuratorFramework curator = curator(network);
                Holdfast rival =
                        Holdfast.connect("zookeeper://" + node.address() + base + "#session=60s&mode=" + mode.word())) {
            Holdfast client = Holdfast.builder()
                    .store(ZooKeeperLocks.on(curator).withBase(base).withMode(mode))
                    .commandTimeout(Duration.ofMillis(500))
                    .build();
            List<Lease> held = hold(client, "back-");
            List<CompletableFuture<Lease>> next = new ArrayList<>();
            held.forEach(lease -> next.add(rival.lock(lease.name()).acquireAsync()));
            ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
            network.blackHole(Direction.TO_CLIENT);
            List<CompletableFuture<Boolean>> given = new ArrayList<>();
            held.subList(0, HELD / 2).forEach(lease -> given.add(lease.releaseAsync()));
            node.expire(handle.getSessionId(), handle.getSessionPasswd());
            Tree.await().until(() -> next.stream().allMatch(CompletableFuture::isDone));
            network.cut();
            network.heal();
            Tree.await().until(() -> held.stream().noneMatch(Lease::isHeld));
            held.subList(HELD / 2, HELD)
                    .forEach(lease -> assertThat(lease.release()).isFalse());
            Tree.await().until(() -> client.lock("works-again").tryAcquire().isPresent());
            client.close();

            assertThat(given).allMatch(CompletableFuture::isDone);
            for (int i = 0; i < HELD; i++) {
                Lease lease = next.get(i).join();
                assertThat(lease.token()).isGreaterThan(held.get(i).token());
                assertThat(lease.isHeld()).isTrue();
                assertThat(lease.release()).as("was there to be released").isTrue();
            }
            assertThat(rival.list("back-", HELD)).isEmpty();
        }
    }

    @Test
    void nodesThatAreDeletedByHandWhileTheirClientIsCutOffAreNoticedAfterwards()
            throws InterruptedException, KeeperException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        String base = "/by-hand-cut";
        try (Holdfast client = Holdfast.connect("zookeeper://127.0.0.1:" + network.port() + base + "#session=40s");
                Holdfast rival = Holdfast.connect("zookeeper://" + node.address() + base + "#session=40s");
                Tree tree = Tree.of(node)) {
            List<Lease> held = hold(client, "mine-");
            List<Lease> blocking = hold(rival, "theirs-");
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            blocking.forEach(lease -> waits.add(client.lock(lease.name()).acquireAsync()));
            Tree.await()
                    .until(() -> rival.list("theirs-", HELD).stream()
                            .allMatch(view -> view.waiters().size() == 1));
            List<CompletableFuture<LossReason>> told =
                    held.stream().map(Tree::lossOf).toList();
            network.refuse();
            network.cut();
            for (int i = 0; i < HELD; i++) {
                for (String path : tree.children(base + "/locks/mine-" + i)) {
                    tree.client().delete(path, -1);
                }
                List<String> line = tree.children(base + "/locks/theirs-" + i);
                tree.client()
                        .delete(line.stream().max(WarmFaultsTest::bySequence).orElseThrow(), -1);
            }
            List<Lease> successors = hold(rival, "mine-");
            List<CompletableFuture<Lease>> behind = new ArrayList<>();
            blocking.forEach(lease -> behind.add(rival.lock(lease.name()).acquireAsync()));
            network.heal();

            Tree.await().until(() -> told.stream().allMatch(CompletableFuture::isDone));
            assertThat(told).allMatch(reason -> reason.join() == LossReason.EVICTED);
            blocking.forEach(Lease::release);
            // Who of the two is first is open: the one came later, the other had lost its place.
            List<CompletableFuture<Boolean>> released = new ArrayList<>();
            behind.forEach(lease -> released.add(lease.thenApply(Lease::release)));
            waits.forEach(lease -> released.add(lease.thenApply(Lease::release)));
            Tree.await().until(() -> released.stream().allMatch(CompletableFuture::isDone));
            assertThat(released).allMatch(CompletableFuture::join);
            successors.forEach(lease -> assertThat(lease.release()).isTrue());
            Tree.await().until(() -> rival.list("", HELD).isEmpty());
        }
    }

    private static int bySequence(String a, String b) {
        return a.substring(a.length() - 10).compareTo(b.substring(b.length() - 10));
    }

    private static List<Lease> hold(Holdfast client, String prefix) {
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = 0; i < HELD; i++) {
            asked.add(client.lock(prefix + i).acquireAsync());
        }
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static CuratorFramework curator(FaultProxy network) {
        CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + network.port(), SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100));
        curator.start();
        return curator;
    }
}
