package dev.holdfast.torture.peers;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's registry on Lettuce, in the publish/subscribe mode, with the scheduler that renews. */
final class SpringRedisPeer implements Peer {
    private final LettuceConnectionFactory connections;
    private final RedisLockRegistry registry;
    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    SpringRedisPeer(String url, Duration lease) {
        URI address = URI.create(url);
        connections = new LettuceConnectionFactory(address.getHost(), address.getPort());
        connections.afterPropertiesSet();
        connections.start();
        registry = new RedisLockRegistry(connections, "torture-registry", lease);
        registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        scheduler.setDaemon(true);
        scheduler.initialize();
        registry.setRenewalTaskScheduler(scheduler);
    }

    @Override
    public @Nullable Held take(String name, Duration wait) throws InterruptedException {
        return SpringLock.take(registry.obtain(name), wait);
    }

    @Override
    public void close() {
        scheduler.shutdown();
        registry.destroy();
        connections.destroy();
    }
}
