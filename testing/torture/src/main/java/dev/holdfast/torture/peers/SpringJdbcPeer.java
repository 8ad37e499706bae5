package dev.holdfast.torture.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's registry on PostgreSQL, with the insert that its reference gives for that database. It does not renew
 * by itself, so nobody here holds for longer than a part of the lease.
 */
final class SpringJdbcPeer implements Peer {
    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    SpringJdbcPeer(String url, Duration lease) {
        pool = Tables.pool(url);
        repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        registry = new JdbcLockRegistry(repository, lease);
    }

    @Override
    public @Nullable Held take(String name, Duration wait) throws InterruptedException {
        return SpringLock.take(registry.obtain(name), wait);
    }

    @Override
    public void close() {
        repository.stop();
        repository.close();
        pool.close();
    }
}
