package dev.holdfast.bench.ruler;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's recipe, with the client of its "getting started" page. */
final class CuratorLocks implements Locks {
    private static final int RETRY_MILLIS = 1000;
    private static final int RETRIES = 3;

    private final CuratorFramework client;

    CuratorLocks(String servers) {
        client = CuratorFrameworkFactory.newClient(servers, new ExponentialBackoffRetry(RETRY_MILLIS, RETRIES));
        client.start();
    }

    @Override
    public Mutex mutex(String name) {
        InterProcessMutex mutex = new InterProcessMutex(client, "/curator/" + name);
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

    @Override
    public void close() {
        client.close();
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
