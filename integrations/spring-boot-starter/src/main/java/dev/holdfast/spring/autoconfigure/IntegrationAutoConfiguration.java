package dev.holdfast.spring.autoconfigure;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.locked.KeyEncoding;
import java.util.concurrent.locks.Lock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.util.Assert;

/** Spring Integration's registry of locks. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnBean(Holdfast.class)
public class IntegrationAutoConfiguration {
    static final String PREFIX = "integration:";

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    HoldfastLockRegistry holdfastLockRegistry(Holdfast locks) {
        return new HoldfastLockRegistry(locks);
    }

    /** Locks that belong to threads, as Spring Integration wants them. Of Integration 7; version 6 has no type parameter. */
    static final class HoldfastLockRegistry implements LockRegistry<Lock> {
        private final Holdfast locks;

        HoldfastLockRegistry(Holdfast locks) {
            this.locks = locks;
        }

        @Override
        public Lock obtain(Object lockKey) {
            Assert.notNull(lockKey, "the key of a lock must not be null");
            String key = lockKey.toString();
            Assert.hasText(key, "the key of a lock must not be blank");
            return locks.lock(PREFIX + KeyEncoding.encode(key)).asLock();
        }
    }
}
