package dev.holdfast.torture.peers;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * jetcd's client of etcd's lock service. Whoever has a lease has the locks that were taken with it, so every thread has a
 * lease of its own, which the client keeps alive. A wait that is given up cannot be taken back otherwise than with its lease,
 * so that is revoked; and so is a lease of which anything failed.
 */
final class JetcdPeer implements Peer {
    private final Client client;
    private final long leaseSeconds;
    private final Map<Thread, Kept> leases = new ConcurrentHashMap<>();

    JetcdPeer(String servers, Duration lease) {
        client = Client.builder()
                .endpoints(Arrays.stream(servers.split(",", -1))
                        .map(server -> "http://" + server)
                        .toArray(String[]::new))
                .build();
        leaseSeconds = Math.max(2, lease.toSeconds());
    }

    @Override
    public @Nullable Held take(String name, Duration wait)
            throws ExecutionException, InterruptedException, TimeoutException {
        Kept kept = lease(wait);
        ByteSequence asked = ByteSequence.from(name, StandardCharsets.UTF_8);
        try {
            ByteSequence key = client.getLockClient()
                    .lock(asked, kept.id)
                    .get(wait.toMillis(), TimeUnit.MILLISECONDS)
                    .getKey();
            return new Taken(kept, key);
        } catch (TimeoutException late) {
            drop(kept);
            return null;
        } catch (ExecutionException failed) {
            drop(kept);
            throw failed;
        }
    }

    /** The lease of the calling thread. */
    private Kept lease(Duration wait) throws ExecutionException, InterruptedException, TimeoutException {
        Kept known = leases.get(Thread.currentThread());
        if (known == null || known.over) {
            long id = client.getLeaseClient()
                    .grant(leaseSeconds)
                    .get(Math.max(1_000, wait.toMillis()), TimeUnit.MILLISECONDS)
                    .getID();
            Kept fresh = new Kept(id);
            fresh.alive = client.getLeaseClient().keepAlive(id, fresh);
            leases.put(Thread.currentThread(), fresh);
            return fresh;
        }
        return known;
    }

    private void drop(Kept kept) {
        leases.remove(Thread.currentThread());
        kept.over = true;
        CloseableClient alive = kept.alive;
        if (alive != null) {
            alive.close();
        }
        client.getLeaseClient().revoke(kept.id);
    }

    @Override
    public void close() {
        client.close();
    }

    /** A lease that is kept alive. */
    private static final class Kept implements StreamObserver<LeaseKeepAliveResponse> {
        private final long id;
        private volatile boolean over;
        private volatile @Nullable CloseableClient alive;

        Kept(long id) {
            this.id = id;
        }

        @Override
        public void onNext(LeaseKeepAliveResponse answer) {
            over |= answer.getTTL() <= 0;
        }

        @Override
        public void onError(Throwable failure) {
            over = true;
        }

        @Override
        public void onCompleted() {
            over = true;
        }
    }

    private final class Taken implements Held {
        private final Kept kept;
        private final ByteSequence key;

        Taken(Kept kept, ByteSequence key) {
            this.kept = kept;
            this.key = key;
        }

        @Override
        public Answer ask() {
            return kept.over ? Answer.LOST : Answer.HELD;
        }

        @Override
        public boolean release() throws ExecutionException, InterruptedException, TimeoutException {
            boolean lost = kept.over;
            try {
                client.getLockClient().unlock(key).get(leaseSeconds, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException failed) {
                drop(kept);
                throw failed;
            }
            return !lost;
        }
    }
}
