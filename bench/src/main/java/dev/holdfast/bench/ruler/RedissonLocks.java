package dev.holdfast.bench.ruler;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with the configuration of its documentation for one server: the address, and defaults. */
final class RedissonLocks implements Locks {
    private final RedissonClient client;
    private final boolean fair;

    RedissonLocks(String url, boolean fair) {
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        this.client = Redisson.create(config);
        this.fair = fair;
    }

    @Override
    public Mutex mutex(String name) {
        return Mutex.of(fair ? client.getFairLock(name) : client.getLock(name));
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
