package dev.holdfast.bench.ruler;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.Optional;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's registry with its defaults, and on PostgreSQL with the insert that its reference gives for that
 * database: without it every try on a taken lock would be an error in the server's log. It does not renew by itself.
 */
final class SpringJdbcLocks implements Locks {
    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    SpringJdbcLocks(String url, Optional<Duration> lease) {
        pool = Pool.open(url);
        repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        if (url.startsWith("jdbc:postgresql:")) {
            repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        }
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        registry = lease.map(time -> new JdbcLockRegistry(repository, time))
                .orElseGet(() -> new JdbcLockRegistry(repository));
    }

    @Override
    public Mutex mutex(String name) {
        return Mutex.of(registry.obtain(name));
    }

    @Override
    public void close() {
        repository.stop();
        repository.close();
        pool.close();
    }
}
