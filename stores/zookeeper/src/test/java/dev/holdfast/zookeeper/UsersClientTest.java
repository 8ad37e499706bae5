package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks on a Curator client that has users of its own, which are slow, and a session that goes on after the locks. */
final class UsersClientTest {
    private static final int SESSION_MILLIS = 60_000;

    /** In which order Curator calls its listeners is open, so there are several that probably come first. */
    private static final int SLOW_LISTENERS = 12;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    /** Curator calls listeners one after another, so a slow one of the user's delays what the store hears. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void lateNewsOfALostSessionDoesNotEndTheNextOne(Mode mode) throws Exception {
        CountDownLatch slowListener = new CountDownLatch(1);
        CompletableFuture<Void> allHaveHeard = new CompletableFuture<>();
        try (CuratorFramework curator = curator(node.address())) {
            for (int i = 0; i < SLOW_LISTENERS; i++) {
                curator.getConnectionStateListenable().addListener((client, state) -> {
                    if (state == ConnectionState.LOST) {
                        awaitQuietly(slowListener);
                    }
                });
            }
            try (Holdfast client = locks(curator, mode);
                    Holdfast rival = Holdfast.connect(url(mode))) {
                curator.getConnectionStateListenable().addListener((listened, state) -> {
                    // The next event comes when everybody has heard of the one before.
                    if (state == ConnectionState.RECONNECTED) {
                        allHaveHeard.complete(null);
                    }
                });
                Lease first = client.lock("first").acquire();
                CompletableFuture<LossReason> told = Tree.lossOf(first);
                ZooKeeper before = curator.getZookeeperClient().getZooKeeper();
                expire(curator);
                Tree.await().until(() -> curator.getZookeeperClient().getZooKeeper() != before);
                Lease second = client.lock("second").acquire();
                slowListener.countDown();
                Tree.await().until(allHaveHeard::isDone);

                assertThat(second.isHeld()).isTrue();
                assertThat(client.lock("third").tryAcquire()).isPresent();
                assertThat(second.release()).isTrue();
                assertThat(rival.lock("second").tryAcquire()).isPresent();
                Tree.await().until(told::isDone);
                assertThat(told).isCompletedWithValue(LossReason.SESSION_LOST);
            }
        } finally {
            slowListener.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void closingInAnOutageLeavesNothingInTheSessionOfTheUser(Mode mode) throws Exception {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (CuratorFramework curator = curator("127.0.0.1:" + network.port());
                Tree tree = Tree.of(node)) {
            Holdfast client = locks(curator, mode);
            Lease held = client.lock("left-held").acquire();
            // The nodes of these names are there, so that only one request is needed.
            client.lock("left-asked").acquire().close();
            client.all("left-1", "left-2").acquire().close();
            long session = curator.getZookeeperClient().getZooKeeper().getSessionId();
            network.blackHole(Direction.TO_CLIENT);
            CompletableFuture<Lease> asked = client.lock("left-asked").acquireAsync();
            CompletableFuture<Lease> several = client.all("left-1", "left-2").acquireAsync();
            Tree.await().until(() -> left(tree, mode, "left-asked") && left(tree, mode, "left-2"));
            client.close();
            assertThat(asked).isCompletedExceptionally();
            assertThat(several).isCompletedExceptionally();
            assertThat(held.isHeld()).isFalse();
            network.cut();
            network.heal();

            for (String name : new String[] {"left-held", "left-asked", "left-1", "left-2"}) {
                Tree.await().until(() -> !left(tree, mode, name));
            }
            assertThat(curator.getZookeeperClient().getZooKeeper().getSessionId())
                    .as("the session goes on")
                    .isEqualTo(session);
        }
    }

    @Test
    void chrootThatDoesNotExistIsAMisconfiguration() throws Exception {
        try (CuratorFramework curator = curator(node.address() + "/missing/chroot")) {
            assertThatThrownBy(() -> locks(curator, Mode.FAIR).close())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("chroot");
        }
    }

    private static boolean left(Tree tree, Mode mode, String name) throws InterruptedException, KeeperException {
        return !tree.children(base(mode) + "/locks/" + name).isEmpty();
    }

    private static String base(Mode mode) {
        return "/users-" + mode.word();
    }

    private static String url(Mode mode) {
        return "zookeeper://" + node.address() + base(mode) + "#mode=" + mode.word();
    }

    private static Holdfast locks(CuratorFramework curator, Mode mode) {
        return Holdfast.builder()
                .store(ZooKeeperLocks.on(curator).withBase(base(mode)).withMode(mode))
                .commandTimeout(Duration.ofSeconds(1))
                .build();
    }

    private static CuratorFramework curator(String address) {
        CuratorFramework curator =
                CuratorFrameworkFactory.newClient(address, SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100));
        curator.start();
        return curator;
    }

    private static void expire(CuratorFramework curator) throws Exception {
        ZooKeeper handle = curator.getZookeeperClient().getZooKeeper();
        node.expire(handle.getSessionId(), handle.getSessionPasswd());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }
}
