package dev.holdfast.bench.ruler;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's registry on Lettuce, which is what Spring Boot gives, in the publish/subscribe mode that its
 * reference calls preferred. It renews only with a scheduler, which it gets where the lease is short.
 */
final class SpringRedisLocks implements Locks {
    private static final String REGISTRY = "spring-registry";

    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    SpringRedisLocks(URI url, Optional<Duration> lease) {
        connections = new LettuceConnectionFactory(url.getHost(), url.getPort());
        connections.afterPropertiesSet();
        connections.start();
        registry = lease.map(time -> new RedisLockRegistry(connections, REGISTRY, time))
                .orElseGet(() -> new RedisLockRegistry(connections, REGISTRY));
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        if (lease.isPresent()) {
            scheduler.setDaemon(true);
            scheduler.initialize();
            registry.setRenewalTaskScheduler(scheduler);
        }
    }

    @Override
    public Mutex mutex(String name) {
        return Mutex.of(registry.obtain(name));
    }

    /** Within a process its names share 256 local locks, so threads that keep locks of theirs would wait for ever. */
    @Override
    public int threadsForManyNames() {
        return 1;
    }

    @Override
    public void close() {
        scheduler.shutdown();
        registry.destroy();
        connections.destroy();
    }
}
