package dev.holdfast.rig.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
final class ZooKeeperEnsembleTest {
    private static final int SESSION_MILLIS = 20_000;
    private static final byte[] DATA = "data".getBytes(StandardCharsets.UTF_8);

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void leaderIsReplacedAndComesBackAsAFollowerWithWhatItMissed()
            throws InterruptedException, KeeperException, IOException {
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(rig, ZooKeeperSettings.defaults());
        ZooKeeperNode first = ensemble.leader();
        assertThat(ensemble.followers()).hasSize(2);
        first.kill();
        ZooKeeperNode second = ensemble.leader();
        assertThat(second).isNotSameAs(first);
        try (ZooKeeper client = connect(second)) {
            client.create("/missed", DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        first.start();
        first.awaitServing();
        try (ZooKeeper client = connect(first)) {
            client.sync("/");
            assertThat(client.getData("/missed", false, null)).isEqualTo(DATA);
        }
    }

    @Test
    void memberThatIsCutOffGoesOnAnsweringReadsAndNoWrites() throws InterruptedException, KeeperException, IOException {
        ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(rig, ZooKeeperSettings.defaults());
        ZooKeeperNode follower = ensemble.followers().get(0);
        try (ZooKeeper client = connect(follower)) {
            client.create("/before", DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ensemble.cutOff(follower);
            CompletableFuture<Integer> write = new CompletableFuture<>();
            client.setData("/before", DATA, -1, (rc, path, context, stat) -> write.complete(rc), null);
            assertThat(client.getState().isConnected()).isTrue();
            try (ZooKeeper reader = connect(ensemble.leader())) {
                assertThat(reader.getData("/before", false, null)).isEqualTo(DATA);
            }
            assertThat(write).isNotDone();
            assertThat(follower.mode()).isEqualTo("follower");
            ensemble.rejoin(follower);
            follower.awaitServing();
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(write::isDone);
        }
    }

    @Test
    void sessionIsEndedFromOutside() throws InterruptedException, IOException, KeeperException {
        ZooKeeperNode node = ZooKeeperNode.start(rig);
        CountDownLatch expired = new CountDownLatch(1);
        try (ZooKeeper client = connect(node)) {
            client.register(event -> {
                if (event.getState() == Watcher.Event.KeeperState.Expired) {
                    expired.countDown();
                }
            });
            client.create("/mine", DATA, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            node.expire(client.getSessionId(), client.getSessionPasswd());
            assertThat(expired.await(30, TimeUnit.SECONDS)).isTrue();
        }
        try (ZooKeeper other = connect(node)) {
            assertThat(other.exists("/mine", false)).isNull();
        }
        assertThat(node.metric("znode_count")).isPositive();
    }

    private static ZooKeeper connect(ZooKeeperNode node) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(node.address(), SESSION_MILLIS, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        assertThat(connected.await(30, TimeUnit.SECONDS)).isTrue();
        return client;
    }
}
