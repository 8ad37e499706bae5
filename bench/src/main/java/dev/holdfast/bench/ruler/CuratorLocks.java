package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's recipe, with the client of its "getting started" page. */
final class CuratorLocks implements Locks {
    private static final int RETRY_MILLIS = 1000;
    private static final int RETRIES = 3;

    private final CuratorFramework client;

    CuratorLocks(String servers, Optional<Duration> session) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(servers)
                .retryPolicy(new ExponentialBackoffRetry(RETRY_MILLIS, RETRIES));
        session.ifPresent(time -> builder.sessionTimeoutMs((int) time.toMillis()));
        client = builder.build();
        client.start();
    }

    @Override
    public Mutex mutex(String name) {
        return of(new InterProcessMutex(client, path(name)));
    }

    @Override
    public Mutex all(List<String> names) {
        return of(new InterProcessMultiLock(
                client, names.stream().map(CuratorLocks::path).toList()));
    }

    @Override
    public void close() {
        client.close();
    }

    private static String path(String name) {
        return "/curator/" + name;
    }

    private static Mutex of(InterProcessLock mutex) {
        return new Mutex() {
            @Override
            public void lock() throws InterruptedException {
                run(mutex::acquire);
            }

            @Override
            public void unlock() {
                try {
                    run(mutex::release);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    private static void run(Step step) throws InterruptedException {
        try {
            step.run();
        } catch (InterruptedException | RuntimeException told) {
            throw told;
        } catch (Exception failed) {
            throw new IllegalStateException("Curator's lock failed", failed);
        }
    }

    /** Curator declares every exception. */
    private interface Step {
        void run() throws Exception;
    }
}
