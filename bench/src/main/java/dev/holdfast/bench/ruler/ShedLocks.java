package dev.holdfast.bench.ruler;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock with JdbcTemplate and the database's time, which its documentation recommends. It is made for scheduled jobs:
 * it cannot wait and does not renew.
 */
final class ShedLocks implements Locks {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final HikariDataSource pool;
    private final LockProvider provider;

    ShedLocks(String url) {
        pool = Pool.open(url);
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
    }

    @Override
    public Mutex mutex(String name) {
        return new Job(name);
    }

    @Override
    public void close() {
        pool.close();
    }

    /** Keeps the lock between lock and unlock. */
    private final class Job implements Mutex {
        private final String name;
        private @Nullable SimpleLock held;

        Job(String name) {
            this.name = name;
        }

        @Override
        public void lock() {
            held = provider.lock(new LockConfiguration(Instant.now(), name, LEASE, Duration.ZERO))
                    .orElseThrow(() -> new IllegalStateException("ShedLock cannot wait, and " + name + " is taken"));
        }

        @Override
        public void unlock() {
            SimpleLock lock = held;
            if (lock == null) {
                throw new IllegalStateException("not locked");
            }
            held = null;
            lock.unlock();
        }
    }
}
