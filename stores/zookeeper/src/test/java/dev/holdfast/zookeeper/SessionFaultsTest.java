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
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sessions that end, connections that fail, nodes that are deleted by hand, on one real server. */
final class SessionFaultsTest {
    private static final int SESSION_MILLIS = 3_000;

    /** Of clients whose session is to end. */
    private static final int SHORT_SESSION_MILLIS = 1_200;

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(800);
    private static final String LOCKS = "/holdfast/locks/";

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    @Test
    void sessionThatEndsWhileHeldEndsItsLeasesAndTheNextHolderHasALargerToken() throws Exception {
        try (CuratorFramework curator = Tree.curatorOf(node);
                Holdfast doomed =
                        Holdfast.builder().store(ZooKeeperLocks.on(curator)).build();
                Holdfast rival = connect(node.port())) {
            Lease lease = doomed.lock("held").acquire();
            Lease shared = doomed.semaphore("held-too", 2).permits(1).acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lease);
            CompletableFuture<LossReason> toldToo = Tree.lossOf(shared);
            CompletableFuture<Lease> next = rival.lock("held").acquireAsync();
            expire(curator);

            Tree.await().until(() -> told.isDone() && toldToo.isDone() && next.isDone());
            assertThat(told).isCompletedWithValue(LossReason.SESSION_LOST);
            assertThat(toldToo).isCompletedWithValue(LossReason.SESSION_LOST);
            assertThat(lease.isHeld()).isFalse();
            assertThat(next.join().token()).isGreaterThan(lease.token());
            assertThat(lease.release()).isFalse();
            assertThat(next.join().isHeld()).as("the loser cannot release it").isTrue();
            assertThat(doomed.lock("another").tryAcquire())
                    .as("a new session works")
                    .isPresent();
        }
    }

    @Test
    void sessionThatEndsWhileWaitingEntersTheLineAnew() throws Exception {
        try (CuratorFramework curator = Tree.curatorOf(node);
                Holdfast doomed =
                        Holdfast.builder().store(ZooKeeperLocks.on(curator)).build();
                Holdfast rival = connect(node.port())) {
            Lease held = rival.lock("waited-for").acquire();
            CompletableFuture<Lease> waiter = doomed.lock("waited-for").acquireAsync();
            Tree.await().until(() -> waiters(rival, "waited-for") == 1);
            long before = curator.getZookeeperClient().getZooKeeper().getSessionId();
            expire(curator);
            Tree.await()
                    .until(() -> curator.getZookeeperClient().getZooKeeper().getSessionId() != before
                            && waiters(rival, "waited-for") == 1);
            assertThat(waiter).isNotDone();
            held.close();

            Tree.await().until(waiter::isDone);
            assertThat(waiter.join().isHeld()).isTrue();
        }
    }

    /** All of them ask again at once, because their session is over. */
    @Test
    void waitersAreNotFailedByANewerNodeInTheLineOfAnotherName() throws Exception {
        try (CuratorFramework curator = Tree.curatorOf(node);
                Holdfast doomed =
                        Holdfast.builder().store(ZooKeeperLocks.on(curator)).build();
                Holdfast holder = connect(node.port(), 60_000);
                Tree tree = Tree.of(node)) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> sound = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                String name = "sound-" + i;
                held.add(holder.lock(name).acquire());
                sound.add(doomed.lock(name).acquireAsync());
                Tree.await().until(() -> waiters(holder, name) == 1);
            }
            held.add(holder.lock("spoilt").acquire());
            CompletableFuture<Lease> spoilt = doomed.lock("spoilt").acquireAsync();
            Tree.await().until(() -> waiters(holder, "spoilt") == 1);
            tree.client()
                    .create(LOCKS + "spoilt/9eq-newer", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            expire(curator);
            Tree.await().until(spoilt::isCompletedExceptionally);
            held.forEach(Lease::close);
            for (CompletableFuture<Lease> each : sound) {
                Tree.await().until(each::isDone);
                each.join().close();
            }
        }
    }

    @Test
    void nodeThatIsDeletedByHandEndsTheLeaseAndFreesTheLock() throws InterruptedException, KeeperException {
        try (Holdfast victim = connect(node.port());
                Holdfast rival = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease lease = victim.lock("by-hand").acquire();
            Lease several = victim.all("by-hand-1", "by-hand-2").acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lease);
            CompletableFuture<LossReason> toldToo = Tree.lossOf(several);
            for (String lock : List.of("by-hand", "by-hand-2")) {
                tree.client().delete(tree.children(LOCKS + lock).get(0), -1);
            }

            Tree.await().until(() -> told.isDone() && toldToo.isDone());
            assertThat(told).isCompletedWithValue(LossReason.EVICTED);
            assertThat(toldToo).isCompletedWithValue(LossReason.EVICTED);
            assertThat(rival.lock("by-hand").acquire().token()).isGreaterThan(lease.token());
            assertThat(rival.all("by-hand-1", "by-hand-2").acquire().isHeld()).isTrue();
        }
    }

    @Test
    void waitingNodeThatIsDeletedByHandIsMadeAgain() throws InterruptedException, KeeperException {
        try (Holdfast victim = connect(node.port());
                Holdfast rival = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease held = rival.lock("waiting-by-hand").acquire();
            CompletableFuture<Lease> waiter = victim.lock("waiting-by-hand").acquireAsync();
            Tree.await().until(() -> waiters(rival, "waiting-by-hand") == 1);
            tree.client().delete(lastInLine(tree, "waiting-by-hand"), -1);
            Tree.await().until(() -> waiters(rival, "waiting-by-hand") == 1);
            held.close();

            Tree.await().until(waiter::isDone);
            assertThat(waiter.join().isHeld()).isTrue();
        }
    }

    /** It polls seconds later, so what it is told by the end of the holder's node comes first. */
    @Test
    void waiterWhoseNodeIsDeletedByHandIsNotGrantedBesideTheNextInLine() throws InterruptedException, KeeperException {
        try (Holdfast victim = connect(node.port());
                Holdfast holder = connect(node.port());
                Holdfast next = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease held = holder.lock("beside").acquire();
            CompletableFuture<Lease> waiter = victim.lock("beside").acquireAsync();
            Tree.await().until(() -> waiters(holder, "beside") == 1);
            tree.client().delete(lastInLine(tree, "beside"), -1);
            CompletableFuture<Lease> behind = next.lock("beside").acquireAsync();
            Tree.await().until(() -> tree.children(LOCKS + "beside").size() >= 2);
            held.close();

            Tree.await().until(() -> behind.isDone() || waiter.isDone());
            Lease first = behind.isDone() ? behind.join() : waiter.join();
            CompletableFuture<Lease> second = behind.isDone() ? waiter : behind;
            Tree.await()
                    .untilAsserted(() -> assertThat(tree.children(LOCKS + "beside"))
                            .as("the one holds, the other waits; granted: %s, %s", behind, waiter)
                            .hasSize(2));
            assertThat(second).isNotDone();
            first.close();
            Tree.await().until(second::isDone);
            assertThat(second.join().isHeld()).isTrue();
        }
    }

    @Test
    void creationWhoseAnswerIsLostIsFoundAgainAndLeavesNoSecondNode() throws InterruptedException, KeeperException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = connect(network.port());
                Holdfast rival = connect(node.port());
                Tree tree = Tree.of(node)) {
            client.lock("lost-answer").acquire().close();
            network.dropReplies(1, request -> request.contains("/lost-answer/1e"));
            Lease lease = client.lock("lost-answer").acquire();

            assertThat(network.caught()).isEqualTo(1);
            assertThat(tree.children(LOCKS + "lost-answer")).hasSize(1);
            assertThat(rival.lock("lost-answer").tryAcquire()).isEmpty();
            assertThat(lease.release()).isTrue();
            assertThat(tree.children(LOCKS + "lost-answer")).isEmpty();
        }
    }

    @Test
    void creationOfSeveralNodesWhoseAnswerIsLostIsFoundAgain() throws InterruptedException, KeeperException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = connect(network.port());
                Tree tree = Tree.of(node)) {
            client.all("lost-1", "lost-2").acquire().close();
            network.dropReplies(1, request -> request.contains("/lost-2/1e"));
            Lease lease = client.all("lost-1", "lost-2").acquire();

            assertThat(network.caught()).isEqualTo(1);
            assertThat(lease.isHeld()).isTrue();
            Tree.await()
                    .untilAsserted(
                            () -> assertThat(tree.children(LOCKS + "lost-1")).hasSize(1));
            assertThat(tree.children(LOCKS + "lost-2")).hasSize(1);
            assertThat(lease.release()).isTrue();
            Tree.await()
                    .untilAsserted(
                            () -> assertThat(tree.children(LOCKS + "lost-2")).isEmpty());
        }
    }

    @Test
    void releaseWithTheConnectionDownIsCompletedWhenItIsBack() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = connect(network.port());
                Holdfast rival = connect(node.port())) {
            Lease lease = client.lock("released-late").acquire();
            network.refuse();
            network.cut();
            lease.close();
            assertThat(rival.inspect("released-late").orElseThrow().holders())
                    .as("the server cannot know yet, and shows it")
                    .hasSize(1);
            network.heal();

            Tree.await()
                    .until(() -> rival.lock("released-late")
                            .tryAcquire()
                            .map(Lease::release)
                            .orElse(false));
        }
    }

    @Test
    void releaseWithTheConnectionDownIsCompletedByTheEndOfTheSession() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = connect(network.port(), SHORT_SESSION_MILLIS);
                Holdfast rival = connect(node.port())) {
            Lease lease = client.lock("released-by-session").acquire();
            network.refuse();
            network.cut();
            lease.close();

            assertThat(rival.lock("released-by-session").acquire().token()).isGreaterThan(lease.token());
            network.heal();
        }
    }

    @Test
    void leaseOfAClientThatIsCutOffIsOverBeforeAnotherIsGrantedTheLock() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = connect(network.port(), SHORT_SESSION_MILLIS);
                Holdfast rival = connect(node.port())) {
            Lease lease = client.lock("cut-off").acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lease);
            AtomicBoolean heldAtRegrant = new AtomicBoolean();
            CompletableFuture<Lease> next = rival.lock("cut-off").acquireAsync();
            CompletableFuture<Void> looked = next.thenAccept(granted -> heldAtRegrant.set(lease.isHeld()));
            network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);

            Tree.await().until(() -> told.isDone() && looked.isDone());
            assertThat(heldAtRegrant).isFalse();
            assertThat(told.join()).isIn(LossReason.EXPIRED, LossReason.SESSION_LOST);
            assertThat(next.join().token()).isGreaterThan(lease.token());
            network.cut();
            network.heal();
        }
    }

    @Test
    void leaseAndWaiterSurviveAReconnectionOfTheSameSession() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = Holdfast.connect("zookeeper://127.0.0.1:" + network.port() + "#session=40s");
                Holdfast rival = connect(node.port())) {
            Lease lease = client.lock("reconnected").acquire();
            Lease other = rival.lock("reconnected-wait").acquire();
            CompletableFuture<Lease> waiter = client.lock("reconnected-wait").acquireAsync();
            Tree.await().until(() -> waiters(rival, "reconnected-wait") == 1);
            long before = network.accepted();
            network.cut();
            other.close();
            Tree.await().until(() -> network.accepted() > before && waiter.isDone());

            assertThat(waiter.join().isHeld()).isTrue();
            assertThat(lease.isHeld()).isTrue();
            assertThat(rival.lock("reconnected").tryAcquire()).isEmpty();
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void lockSurvivesARestartOfTheServer() throws InterruptedException {
        ZooKeeperNode own = ZooKeeperNode.start(rig);
        try (Holdfast client = Holdfast.connect("zookeeper://" + own.address() + "#session=40s")) {
            Lease lease = client.lock("restarted").acquire();
            own.kill();
            own.start();
            try (Holdfast rival = connect(own.port())) {
                assertThat(rival.lock("restarted").tryAcquire()).isEmpty();
            }
            Tree.await()
                    .until(() -> lease.isHeld() && client.inspect("restarted").isPresent());
            assertThat(lease.release()).isTrue();
        }
    }

    private static String lastInLine(Tree tree, String name) throws InterruptedException, KeeperException {
        return tree.children(LOCKS + name).stream()
                .max((a, b) -> a.substring(a.length() - 10).compareTo(b.substring(b.length() - 10)))
                .orElseThrow();
    }

    private static int waiters(Holdfast client, String name) {
        return client.inspect(name).map(view -> view.waiters().size()).orElse(0);
    }

    private static Holdfast connect(int port) {
        return connect(port, SESSION_MILLIS);
    }

    private static Holdfast connect(int port, int sessionMillis) {
        return Holdfast.builder()
                .url("zookeeper://127.0.0.1:" + port + "#session=" + sessionMillis + "ms")
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    private static void expire(CuratorFramework curator) throws Exception {
        ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
        node.expire(handle.getSessionId(), handle.getSessionPasswd());
    }
}
