package dev.holdfast.bench.ruler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** The floor on ZooKeeper: one ephemeral node is made and deleted. It cannot wait and has no token. */
final class NodeLocks implements Locks {
    private static final int SESSION_MILLIS = 15_000;
    private static final String PARENT = "/bare";

    private final ZooKeeper client;

    NodeLocks(String servers) {
        try {
            client = connect(servers);
            if (client.exists(PARENT, false) == null) {
                create(PARENT, CreateMode.PERSISTENT);
            }
        } catch (KeeperException | InterruptedException failed) {
            throw stopped(failed);
        }
    }

    @Override
    public Mutex mutex(String name) {
        String path = PARENT + "/" + name;
        return new Mutex() {
            @Override
            public void lock() {
                try {
                    create(path, CreateMode.EPHEMERAL);
                } catch (KeeperException | InterruptedException failed) {
                    throw stopped(failed);
                }
            }

            @Override
            public void unlock() {
                try {
                    client.delete(path, -1);
                } catch (KeeperException | InterruptedException failed) {
                    throw stopped(failed);
                }
            }
        };
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static ZooKeeper connect(String servers) throws InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper made = new ZooKeeper(servers, SESSION_MILLIS, event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            if (!connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("there is no connection");
            }
            return made;
        } catch (IOException failed) {
            throw new UncheckedIOException("there is no client", failed);
        }
    }

    private void create(String path, CreateMode mode) throws KeeperException, InterruptedException {
        client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
    }

    private static IllegalStateException stopped(Exception failed) {
        if (failed instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new IllegalStateException("the floor cannot wait", failed);
    }
}
