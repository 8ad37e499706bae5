package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with the configuration of its documentation for one server: the address, and defaults. */
final class RedissonLocks implements Locks {
    private final Maker maker;
    private final RedissonClient client;

    RedissonLocks(Maker maker, String url, Optional<Duration> lease) {
        this.maker = maker;
        this.client = connect(url, lease);
    }

    static RedissonClient connect(String url, Optional<Duration> lease) {
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        lease.ifPresent(time -> config.setLockWatchdogTimeout(time.toMillis()));
        return Redisson.create(config);
    }

    @Override
    public Mutex mutex(String name) {
        return switch (maker) {
            case REDISSON_FAIR -> Mutex.of(client.getFairLock(name));
            case REDISSON_FENCED -> fenced(client.getFencedLock(name));
            default -> Mutex.of(client.getLock(name));
        };
    }

    @Override
    public Mutex all(List<String> names) {
        return Mutex.of(client.getMultiLock(names.stream().map(client::getLock).toArray(RLock[]::new)));
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private static Mutex fenced(RFencedLock lock) {
        return new Mutex() {
            @Override
            public void lock() {
                if (lock.lockAndGetToken() == null) {
                    throw new IllegalStateException("Redisson gave no token");
                }
            }

            @Override
            public void unlock() {
                lock.unlock();
            }
        };
    }
}
