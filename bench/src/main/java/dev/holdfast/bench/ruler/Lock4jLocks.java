package dev.holdfast.bench.ruler;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedissonLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/**
 * lock4j's template on Redisson, which it prefers, with its default properties: what its annotation calls, without the
 * Spring Boot around it. It gives up waiting after 3 s, so it is asked again.
 */
final class Lock4jLocks implements Locks {
    private static final int MOST_TRIES = 40;

    private final RedissonClient client;
    private final LockTemplate template = new LockTemplate();

    Lock4jLocks(String url) {
        client = RedissonLocks.connect(url, Optional.empty());
        template.setProperties(new Lock4jProperties());
        template.setExecutors(List.of(new RedissonLockExecutor(client)));
        try {
            template.afterPropertiesSet();
        } catch (Exception wrong) {
            throw new IllegalStateException("lock4j cannot be set up", wrong);
        }
    }

    @Override
    public Mutex mutex(String name) {
        return new Key(name);
    }

    @Override
    public void close() {
        client.shutdown();
    }

    /** Keeps what the template gives between lock and unlock. */
    private final class Key implements Mutex {
        private final String name;
        private @Nullable LockInfo held;

        Key(String name) {
            this.name = name;
        }

        @Override
        public void lock() {
            for (int tries = 0; tries < MOST_TRIES && held == null; tries++) {
                held = template.lock(name);
            }
            if (held == null) {
                throw new IllegalStateException("lock4j did not get " + name + " in " + MOST_TRIES + " tries");
            }
        }

        @Override
        public void unlock() {
            LockInfo info = held;
            held = null;
            if (!template.releaseLock(info)) {
                throw new IllegalStateException(name + " was not held");
            }
        }
    }
}
