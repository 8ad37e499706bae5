package dev.holdfast.torture.peers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with the address and the watchdog's time; the watchdog renews, as no lease time is given to the lock. */
final class RedissonPeer implements Peer {
    private final Maker maker;
    private final RedissonClient client;

    RedissonPeer(Maker maker, String url, Duration lease) {
        this.maker = maker;
        this.client = connect(url, lease);
    }

    static RedissonClient connect(String url, Duration lease) {
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        config.setLockWatchdogTimeout(lease.toMillis());
        return Redisson.create(config);
    }

    @Override
    public @Nullable Held take(String name, Duration wait) throws InterruptedException {
        if (maker == Maker.REDISSON_FENCED) {
            RFencedLock fenced = client.getFencedLock(name);
            Long token = fenced.tryLockAndGetToken(wait.toMillis(), TimeUnit.MILLISECONDS);
            return token == null ? null : new Taken(fenced, token);
        }
        RLock lock = maker == Maker.REDISSON_FAIR ? client.getFairLock(name) : client.getLock(name);
        return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? new Taken(lock, -1) : null;
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private record Taken(RLock lock, long token) implements Held {
        @Override
        public Answer ask() {
            return lock.isHeldByCurrentThread() ? Answer.HELD : Answer.LOST;
        }

        @Override
        public boolean release() {
            try {
                lock.unlock();
                return true;
            } catch (IllegalMonitorStateException notHeld) {
                return false;
            }
        }
    }
}
