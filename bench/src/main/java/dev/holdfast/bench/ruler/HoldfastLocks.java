package dev.holdfast.bench.ruler;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holdfast through its public API, on whatever store the URL names. */
final class HoldfastLocks implements Locks {
    private final Holdfast client;
    private final LockOptions options;

    HoldfastLocks(String url, LockOptions options) {
        this(Holdfast.connect(url), options);
    }

    HoldfastLocks(Holdfast client, LockOptions options) {
        this.client = client;
        this.options = options;
    }

    @Override
    public Mutex mutex(String name) {
        return new Handle(client.lock(name, options));
    }

    @Override
    public Object hold(String name) throws InterruptedException {
        return client.lock(name, options).acquire();
    }

    @Override
    public Mutex all(List<String> names) {
        return new Handle(client.all(names, options));
    }

    @Override
    public void close() {
        client.close();
    }

    /** Keeps the lease between lock and unlock. */
    private static final class Handle implements Mutex {
        private final DistributedLock lock;
        private @Nullable Lease lease;

        Handle(DistributedLock lock) {
            this.lock = lock;
        }

        @Override
        public void lock() throws InterruptedException {
            lease = lock.acquire();
        }

        @Override
        public void unlock() {
            Lease held = lease;
            if (held == null) {
                throw new IllegalStateException("not locked");
            }
            lease = null;
            held.close();
        }
    }
}
