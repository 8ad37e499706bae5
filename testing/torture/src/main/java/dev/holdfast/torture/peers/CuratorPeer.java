package dev.holdfast.torture.peers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/**
 * Curator's recipe with the listener that its documentation strongly recommends: after a suspended connection nobody relies
 * on a lock that was taken before.
 */
final class CuratorPeer implements Peer {
    private final CuratorFramework client;

    /** How often the connection was suspended or lost. */
    private final AtomicLong interruptions = new AtomicLong();

    CuratorPeer(String servers, Duration session) {
        client = CuratorFrameworkFactory.builder()
                .connectString(servers)
                .sessionTimeoutMs((int) session.toMillis())
                .retryPolicy(new ExponentialBackoffRetry(1000, 3))
                .build();
        client.getConnectionStateListenable().addListener((framework, state) -> {
            if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) {
                interruptions.incrementAndGet();
            }
        });
        client.start();
    }

    @Override
    public @Nullable Held take(String name, Duration wait) throws Exception {
        long before = interruptions.get();
        InterProcessMutex mutex = new InterProcessMutex(client, "/torture-curator/" + name.replace('/', '-'));
        return mutex.acquire(wait.toMillis(), TimeUnit.MILLISECONDS) ? new Taken(mutex, before) : null;
    }

    @Override
    public void close() {
        client.close();
    }

    private final class Taken implements Held {
        private final InterProcessMutex mutex;
        private final long before;

        Taken(InterProcessMutex mutex, long before) {
            this.mutex = mutex;
            this.before = before;
        }

        @Override
        public Answer ask() {
            boolean held = mutex.isAcquiredInThisProcess() && interruptions.get() == before;
            return held ? Answer.HELD : Answer.LOST;
        }

        @Override
        public boolean release() throws Exception {
            mutex.release();
            return interruptions.get() == before;
        }
    }
}
