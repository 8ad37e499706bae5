package dev.holdfast.torture.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock with JdbcTemplate and the database's time, which its documentation recommends. It is made for scheduled jobs: it
 * cannot wait, does not renew, and has no way to say that a lock was lost. By default it tells owners apart by the name of their
 * machine; here all are on one, so each client has a name of its own.
 */
final class ShedLockPeer implements Peer {
    private final HikariDataSource pool;
    private final LockProvider provider;
    private final Duration lease;

    ShedLockPeer(String url, Duration lease) {
        this.pool = Tables.pool(url);
        this.lease = lease;
        this.provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .withLockedByValue(UUID.randomUUID().toString())
                .build());
    }

    @Override
    public @Nullable Held take(String name, Duration wait) {
        return provider.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO))
                .map(ShedLockPeer::held)
                .orElse(null);
    }

    private static Held held(SimpleLock lock) {
        return () -> {
            lock.unlock();
            return true;
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
