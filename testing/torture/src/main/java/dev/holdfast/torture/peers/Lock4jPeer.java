package dev.holdfast.torture.peers;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedissonLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/** lock4j's template on Redisson, which it prefers; without a lease time of its own, so that the watchdog renews. */
final class Lock4jPeer implements Peer {
    /** Its own word for "not given". */
    private static final int BY_THE_WATCHDOG = -1;

    private final RedissonClient client;
    private final LockTemplate template = new LockTemplate();

    Lock4jPeer(String url, Duration lease) {
        client = RedissonPeer.connect(url, lease);
        template.setProperties(new Lock4jProperties());
        template.setExecutors(List.of(new RedissonLockExecutor(client)));
        try {
            template.afterPropertiesSet();
        } catch (Exception wrong) {
            throw new IllegalStateException("lock4j cannot be set up", wrong);
        }
    }

    @Override
    public @Nullable Held take(String name, Duration wait) {
        LockInfo info = template.lock(name, BY_THE_WATCHDOG, wait.toMillis());
        return info == null ? null : () -> template.releaseLock(info);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
