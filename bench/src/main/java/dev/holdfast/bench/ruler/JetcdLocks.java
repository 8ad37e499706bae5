package dev.holdfast.bench.ruler;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.support.Observers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * jetcd's client of etcd's lock service. Whoever has a lease has the locks that were taken with it, so every thread has a
 * lease of its own, which the client keeps alive.
 */
final class JetcdLocks implements Locks {
    /** jetcd has no default; this is ours. */
    private static final Duration SESSION = Duration.ofSeconds(15);

    private final Client client;
    private final long leaseSeconds;
    private final Map<Thread, Long> leases = new ConcurrentHashMap<>();

    JetcdLocks(String servers, Optional<Duration> lease) {
        client = Client.builder().endpoints("http://" + servers).build();
        leaseSeconds = lease.orElse(SESSION).toSeconds();
    }

    @Override
    public Mutex mutex(String name) {
        return new Key(bytes(name));
    }

    @Override
    public void close() {
        client.close();
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    private long leaseOfThread() throws InterruptedException {
        Long known = leases.get(Thread.currentThread());
        if (known == null) {
            known = await(client.getLeaseClient().grant(leaseSeconds)).getID();
            leases.put(Thread.currentThread(), known);
            client.getLeaseClient().keepAlive(known, Observers.observer(answer -> {}));
        }
        return known;
    }

    private static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException("jetcd failed", failed);
        }
    }

    /** Remembers the key that shows who holds it. */
    private final class Key implements Mutex {
        private final ByteSequence name;
        private @Nullable ByteSequence held;

        Key(ByteSequence name) {
            this.name = name;
        }

        @Override
        public void lock() throws InterruptedException {
            held = await(client.getLockClient().lock(name, leaseOfThread())).getKey();
        }

        @Override
        public void unlock() {
            ByteSequence key = held;
            if (key == null) {
                throw new IllegalStateException("not locked");
            }
            held = null;
            client.getLockClient().unlock(key).join();
        }
    }
}
