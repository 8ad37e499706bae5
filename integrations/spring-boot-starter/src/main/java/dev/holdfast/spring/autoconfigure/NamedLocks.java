package dev.holdfast.spring.autoconfigure;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import dev.holdfast.spring.HoldfastStartupException;
import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Makes the locks of {@code holdfast.locks.*}, each a bean with its key as name and so as qualifier. */
final class NamedLocks {
    static final String BEAN_NAME = "holdfastNamedLocks";

    private final Holdfast locks;
    private final HoldfastProperties properties;

    NamedLocks(Holdfast locks, HoldfastProperties properties) {
        this.locks = locks;
        this.properties = properties;
    }

    /** {@return the lock of one key} */
    public DistributedLock lock(String key) {
        HoldfastProperties.NamedLock settings =
                Objects.requireNonNull(properties.getLocks().get(key), "there is no 'holdfast.locks." + key + "'");
        String name = Objects.requireNonNullElse(settings.getName(), key);
        LockOptions options = properties.getDefaults().toOptions();
        if (settings.getLeaseTime() != null) {
            options = options.withLeaseTime(settings.getLeaseTime());
        }
        if (settings.getMaxHold() != null) {
            options = options.withMaxHold(settings.getMaxHold());
        }
        if (settings.getCapacity() > 0) {
            return locks.semaphore(name, settings.getCapacity(), options).permits(settings.getPermits());
        }
        if (settings.getPermits() != 1) {
            throw new HoldfastStartupException(
                    "'holdfast.locks." + key + "' has permits but no capacity", "set its capacity too");
        }
        return switch (settings.getMode()) {
            case EXCLUSIVE -> locks.lock(name, options);
            case READ -> locks.readWriteLock(name, options).readLock();
            case WRITE -> locks.readWriteLock(name, options).writeLock();
        };
    }

    /** A definition for each key, so that the beans are there for conditions and injection. */
    static final class Registrar implements ImportBeanDefinitionRegistrar {
        private final Environment environment;

        Registrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            Binder.get(environment)
                    .bind("holdfast.locks", Bindable.mapOf(String.class, HoldfastProperties.NamedLock.class))
                    .orElseGet(Map::of)
                    .keySet()
                    .forEach(key -> registry.registerBeanDefinition(key, definition(key)));
        }

        private static BeanDefinition definition(String key) {
            RootBeanDefinition definition = new RootBeanDefinition(DistributedLock.class);
            definition.setFactoryBeanName(BEAN_NAME);
            definition.setFactoryMethodName("lock");
            definition.getConstructorArgumentValues().addIndexedArgumentValue(0, key);
            return definition;
        }
    }
}
