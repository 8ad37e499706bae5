package dev.holdfast.zookeeper;

import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Looks into a server's tree, and changes it by hand. Used by one thread at a time. */
final class Tree implements AutoCloseable {
    private static final int SESSION_MILLIS = 20_000;
    private static final int LONG_SESSION_MILLIS = 60_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ZooKeeper client;

    private Tree(ZooKeeper client) {
        this.client = client;
    }

    static Tree of(ZooKeeperNode node) throws InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper client = new ZooKeeper(node.address(), SESSION_MILLIS, event -> {
                if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            if (!connected.await(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new AssertionError("no connection to " + node.address());
            }
            return new Tree(client);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A wait for something that must come true in the end. */
    static ConditionFactory await() {
        return Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .pollInSameThread();
    }

    /** With a session so long that nothing ends by its own deadline before the client has heard that its session is over. */
    static CuratorFramework curatorOf(ZooKeeperNode node) {
        CuratorFramework curator = CuratorFrameworkFactory.newClient(
                node.address(), LONG_SESSION_MILLIS, LONG_SESSION_MILLIS, new RetryOneTime(100));
        curator.start();
        return curator;
    }

    static CompletableFuture<LossReason> lossOf(Lease lease) {
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        return told;
    }

    ZooKeeper client() {
        return client;
    }

    /** The paths of the children, none if there is no such node. */
    List<String> children(String path) throws InterruptedException, KeeperException {
        try {
            List<String> paths = new ArrayList<>();
            for (String child : client.getChildren(path, false)) {
                paths.add(path + "/" + child);
            }
            return paths;
        } catch (KeeperException.NoNodeException none) {
            return List.of();
        }
    }

    @Override
    public void close() throws InterruptedException {
        client.close();
    }
}
