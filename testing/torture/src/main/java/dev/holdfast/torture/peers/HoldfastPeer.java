package dev.holdfast.torture.peers;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** This library with its defaults, but for the lease. */
final class HoldfastPeer implements Peer {
    private final Holdfast client;

    HoldfastPeer(String url, LockOptions options) {
        client = Holdfast.builder().url(url).defaults(options).lazy(true).build();
    }

    @Override
    public @Nullable Held take(String name, Duration wait) throws InterruptedException {
        return client.lock(name).tryAcquire(wait).map(Taken::new).orElse(null);
    }

    @Override
    public void close() {
        client.close();
    }

    private record Taken(Lease lease) implements Held {
        @Override
        public long token() {
            return lease.token();
        }

        @Override
        public Answer ask() {
            return lease.isHeld() ? Answer.HELD : Answer.LOST;
        }

        @Override
        public boolean release() {
            return lease.release();
        }
    }
}
