package dev.holdfast.bench.zookeeper;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** Whose locks are measured, each with its own defaults. */
enum Maker {
    HOLDFAST {
        @Override
        Locks open(String server) {
            Holdfast client = Holdfast.connect("zookeeper://" + server);
            return new Locks() {
                @Override
                public Mutex mutex(String name) {
                    DistributedLock lock = client.lock(name);
                    return () -> {
                        Lease lease = lock.acquire();
                        return lease::close;
                    };
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }
    },
    CURATOR {
        @Override
        Locks open(String server) {
            CuratorFramework client =
                    CuratorFrameworkFactory.newClient(server, new ExponentialBackoffRetry(RETRY_MILLIS, RETRIES));
            client.start();
            return new Locks() {
                @Override
                public Mutex mutex(String name) {
                    InterProcessMutex mutex = new InterProcessMutex(client, "/curator/" + name);
                    return () -> {
                        mutex.acquire();
                        return mutex::release;
                    };
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }
    },
    /** No lock at all: makes one ephemeral node and deletes it. */
    BARE {
        @Override
        Locks open(String server) {
            ZooKeeper client = connect(server);
            try {
                if (client.exists("/bare", false) == null) {
                    client.create("/bare", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                }
            } catch (KeeperException failed) {
                throw new IllegalStateException(failed);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            return new Locks() {
                @Override
                public Mutex mutex(String name) {
                    String path = "/bare/" + name;
                    return () -> {
                        client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                        return () -> client.delete(path, -1);
                    };
                }

                @Override
                public void close() throws InterruptedException {
                    client.close();
                }
            };
        }
    };

    private static final int RETRY_MILLIS = 1000;
    private static final int RETRIES = 3;
    private static final int SESSION_MILLIS = 15_000;

    abstract Locks open(String server);

    /** One client. */
    interface Locks extends AutoCloseable {
        Mutex mutex(String name);

        @Override
        void close() throws InterruptedException;
    }

    /** Takes a lock. */
    @FunctionalInterface
    interface Mutex {
        Held lock() throws Exception;
    }

    /** Gives a lock back. */
    @FunctionalInterface
    interface Held {
        void unlock() throws Exception;
    }

    private static ZooKeeper connect(String server) {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper client = new ZooKeeper(server, SESSION_MILLIS, event -> {
                if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                    connected.countDown();
                }
            });
            connected.await();
            return client;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }
}
