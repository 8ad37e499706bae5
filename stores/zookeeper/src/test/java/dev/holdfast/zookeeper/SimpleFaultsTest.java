package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The simple mode when sessions end, answers are lost, and nodes are deleted by hand, on one real server. */
final class SimpleFaultsTest {
    private static final int SESSION_MILLIS = 3_000;
    private static final String LOCKS = "/simple/locks/";

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    /** The server clears a name away that nobody uses, and the versions of its node begin anew with the next user. */
    @Test
    void lateReleaseFindsNothingOfASuccessorWhoseVersionIsTheSame() throws InterruptedException, KeeperException {
        try (Holdfast late = connect(node.port());
                Holdfast successor = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease lost = late.lock("late").acquire();
            clear(tree, "late");
            Lease held = successor.lock("late").acquire();

            assertThat(lost.release()).isFalse();
            assertThat(late.lock("late").tryAcquire()).isEmpty();
            assertThat(held.release()).isTrue();
        }
    }

    @Test
    void renewalDoesNotTakeASuccessorForItself() throws InterruptedException, KeeperException {
        try (Holdfast late = connect(node.port());
                Holdfast successor = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease lost = late.lock("renewed").acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lost);
            clear(tree, "renewed");
            Lease held = successor.lock("renewed").acquire();

            Tree.await().until(told::isDone);
            assertThat(told).isCompletedWithValue(LossReason.EVICTED);
            assertThat(held.isHeld()).isTrue();
            assertThat(held.token()).isGreaterThan(lost.token());
        }
    }

    @Test
    void closingAClientOfTheUsersOwnLeavesASuccessorAlone() throws InterruptedException, KeeperException {
        try (CuratorFramework curator = Tree.curatorOf(node);
                Holdfast successor = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease lost;
            try (Holdfast late = Holdfast.builder()
                    .store(ZooKeeperLocks.on(curator).withBase("/simple").withMode(Mode.SIMPLE))
                    .build()) {
                lost = late.lock("closed").acquire();
                clear(tree, "closed");
                Lease held = successor.lock("closed").acquire();
                late.close();

                assertThat(tree.children(LOCKS + "closed")).hasSize(2);
                assertThat(held.release()).isTrue();
            }
            assertThat(lost.isHeld()).isFalse();
        }
    }

    @Test
    void sessionThatEndsIsToldAndTheNextHolderHasALargerToken() throws Exception {
        try (CuratorFramework curator = Tree.curatorOf(node);
                Holdfast doomed = Holdfast.builder()
                        .store(ZooKeeperLocks.on(curator).withBase("/simple").withMode(Mode.SIMPLE))
                        .build();
                Holdfast rival = connect(node.port())) {
            Lease lease = doomed.lock("ended").acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lease);
            CompletableFuture<Lease> next = rival.lock("ended").acquireAsync();
            ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
            node.expire(handle.getSessionId(), handle.getSessionPasswd());

            Tree.await().until(() -> told.isDone() && next.isDone());
            assertThat(told).isCompletedWithValue(LossReason.SESSION_LOST);
            assertThat(next.join().token()).isGreaterThan(lease.token());
            assertThat(lease.release()).isFalse();
            assertThat(next.join().isHeld()).isTrue();
            assertThat(next.join().release()).isTrue();
        }
    }

    @Test
    void takingWhoseAnswerIsLostIsFoundAgain() throws InterruptedException, KeeperException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = connect(network.port());
                Holdfast rival = connect(node.port());
                Tree tree = Tree.of(node)) {
            client.lock("lost").acquire().close();
            network.dropReplies(1, request -> request.contains("/lost/holder"));
            Lease lease = client.lock("lost").acquire();

            assertThat(network.caught()).isEqualTo(1);
            assertThat(rival.lock("lost").tryAcquire()).isEmpty();
            assertThat(lease.release()).isTrue();
            assertThat(tree.children(LOCKS + "lost")).isEmpty();
        }
    }

    /** Only the holder's node is deleted, so that the stub of the one who lost it has to be cleared away. */
    @Test
    void holderThatIsDeletedByHandIsToldAndNothingOfItIsLeft() throws InterruptedException, KeeperException {
        try (Holdfast victim = connect(node.port());
                Holdfast rival = connect(node.port());
                Tree tree = Tree.of(node)) {
            Lease lease = victim.lock("by-hand").acquire();
            CompletableFuture<LossReason> told = Tree.lossOf(lease);
            tree.client().delete(LOCKS + "by-hand/holder", -1);
            Lease next = rival.lock("by-hand").acquire();

            Tree.await().until(told::isDone);
            assertThat(told).isCompletedWithValue(LossReason.EVICTED);
            assertThat(next.token()).isGreaterThan(lease.token());
            Tree.await().until(() -> tree.children(LOCKS + "by-hand").size() == 2);
            assertThat(next.release()).isTrue();
            assertThat(tree.children(LOCKS + "by-hand")).isEmpty();
        }
    }

    private static void clear(Tree tree, String name) throws InterruptedException, KeeperException {
        for (String path : tree.children(LOCKS + name)) {
            tree.client().delete(path, -1);
        }
        tree.client().delete(LOCKS + name, -1);
    }

    private static Holdfast connect(int port) {
        return Holdfast.builder()
                .url("zookeeper://127.0.0.1:" + port + "/simple#mode=simple&session=" + SESSION_MILLIS + "ms")
                .commandTimeout(Duration.ofMillis(800))
                .build();
    }
}
