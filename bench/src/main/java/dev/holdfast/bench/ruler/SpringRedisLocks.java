package dev.holdfast.bench.ruler;

import java.net.URI;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's registry on Lettuce, which is what Spring Boot gives, in the publish/subscribe mode that its
 * reference calls preferred.
 */
final class SpringRedisLocks implements Locks {
    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;

    SpringRedisLocks(URI url) {
        connections = new LettuceConnectionFactory(url.getHost(), url.getPort());
        connections.afterPropertiesSet();
        connections.start();
        registry = new RedisLockRegistry(connections, "spring-registry");
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    }

    @Override
    public Mutex mutex(String name) {
        return Mutex.of(registry.obtain(name));
    }

    @Override
    public void close() {
        registry.destroy();
        connections.destroy();
    }
}
