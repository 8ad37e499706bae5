package dev.holdfast.spring.autoconfigure;

import dev.holdfast.HoldfastBuilder;
import dev.holdfast.StoreFactory;
import dev.holdfast.spring.HoldfastStartupException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Chooses the store: the URL; else a {@link StoreFactory} of the application; else its data source, its Redis, its Curator,
 * in this order, each only if the module of that store is there.
 */
final class StoreFinder {

    /** Adapts a bean to the builder. Loaded only if both the bean's type and the store's module are there. */
    interface Adapter {
        /** {@return what to do with the builder, for one bean} */
        Consumer<HoldfastBuilder> adapt(Object bean, Map<String, String> options);
    }

    /**
     * What was chosen.
     *
     * @param description for the log, without secrets
     * @param beanName the bean that is used and must outlive the client; null for a URL
     * @param apply sets the builder up
     */
    record Choice(String description, @Nullable String beanName, Consumer<HoldfastBuilder> apply) {}

    enum Kind {
        FACTORY(
                "dev.holdfast.StoreFactory",
                "dev.holdfast.StoreFactory",
                "holdfast-core",
                FactoryAdapter.class.getName()),
        JDBC(
                "javax.sql.DataSource",
                "dev.holdfast.jdbc.JdbcStore",
                "holdfast-jdbc",
                "dev.holdfast.spring.autoconfigure.DataSourceAdapter"),
        REDIS(
                "org.springframework.data.redis.connection.RedisConnectionFactory",
                "dev.holdfast.redis.RedisStores",
                "holdfast-redis",
                "dev.holdfast.spring.autoconfigure.RedisAdapter"),
        ZOOKEEPER(
                "org.apache.curator.framework.CuratorFramework",
                "dev.holdfast.zookeeper.ZooKeeperLocks",
                "holdfast-zookeeper",
                "dev.holdfast.spring.autoconfigure.CuratorAdapter");

        private final String beanType;
        private final String storeType;
        private final String artifact;
        private final String adapter;

        Kind(String beanType, String storeType, String artifact, String adapter) {
            this.beanType = beanType;
            this.storeType = storeType;
            this.artifact = artifact;
            this.adapter = adapter;
        }

        String beanType() {
            return beanType;
        }

        String storeType() {
            return storeType;
        }

        String adapter() {
            return adapter;
        }

        String shortType() {
            return ClassUtils.getShortName(beanType);
        }
    }

    private final ConfigurableListableBeanFactory beans;
    private final HoldfastProperties properties;
    private final ClassLoader loader;

    StoreFinder(ConfigurableListableBeanFactory beans, HoldfastProperties properties) {
        this.beans = beans;
        this.properties = properties;
        ClassLoader ofBeans = beans.getBeanClassLoader();
        this.loader = ofBeans != null ? ofBeans : StoreFinder.class.getClassLoader();
    }

    Choice find() {
        String url = properties.getUrl();
        if (StringUtils.hasText(url)) {
            return new Choice("the property 'holdfast.url'", null, builder -> {
                builder.url(url);
                properties.getOptions().forEach(builder::option);
            });
        }
        String named = properties.getBean();
        if (StringUtils.hasText(named)) {
            return choice(kindOf(named), named);
        }
        List<String> withoutModule = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            List<String> names = namesOf(kind);
            if (!names.isEmpty()) {
                if (ClassUtils.isPresent(kind.storeType, loader)) {
                    return choice(kind, onlyOne(kind, names));
                }
                withoutModule.add("the " + kind.shortType() + " '" + names.get(0) + "' would do with dev.holdfast:"
                        + kind.artifact + " on the class path");
            }
        }
        String modules = Arrays.stream(Kind.values())
                .filter(kind -> kind != Kind.FACTORY && ClassUtils.isPresent(kind.storeType, loader))
                .map(kind -> kind.artifact)
                .reduce((left, right) -> left + ", " + right)
                .orElse("none");
        throw new HoldfastStartupException(
                "there is no store for locks: 'holdfast.url' is not set, and no bean can be used (store modules on the"
                        + " class path: " + modules + ")"
                        + (withoutModule.isEmpty() ? "" : "; " + String.join("; ", withoutModule)),
                "set 'holdfast.url', for example to redis://localhost:6379 or a jdbc: URL, or configure a DataSource,"
                        + " Redis or CuratorFramework together with its module holdfast-jdbc, holdfast-redis or"
                        + " holdfast-zookeeper. For locks within one process only, set 'holdfast.url=memory:'");
    }

    private Choice choice(Kind kind, String name) {
        Object bean = beans.getBean(name);
        Adapter adapter = (Adapter) BeanUtils.instantiateClass(ClassUtils.resolveClassName(kind.adapter, loader));
        return new Choice(
                "the " + kind.shortType() + " '" + name + "'", name, adapter.adapt(bean, properties.getOptions()));
    }

    private Kind kindOf(String name) {
        if (!beans.containsBean(name)) {
            throw new HoldfastStartupException(
                    "there is no bean '" + name + "', which 'holdfast.bean' names",
                    "correct the property 'holdfast.bean'");
        }
        for (Kind kind : Kind.values()) {
            if (ClassUtils.isPresent(kind.beanType, loader)
                    && beans.isTypeMatch(name, ClassUtils.resolveClassName(kind.beanType, loader))) {
                if (!ClassUtils.isPresent(kind.storeType, loader)) {
                    throw new HoldfastStartupException(
                            "the bean '" + name + "', which 'holdfast.bean' names, needs a module that is not on the"
                                    + " class path",
                            "add dev.holdfast:" + kind.artifact);
                }
                return kind;
            }
        }
        throw new HoldfastStartupException(
                "the bean '" + name + "', which 'holdfast.bean' names, is not a DataSource, RedisConnectionFactory,"
                        + " CuratorFramework or StoreFactory",
                "correct the property 'holdfast.bean'");
    }

    private List<String> namesOf(Kind kind) {
        if (!ClassUtils.isPresent(kind.beanType, loader)) {
            return List.of();
        }
        Class<?> type = ClassUtils.resolveClassName(kind.beanType, loader);
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false))
                .filter(name -> definition(name)
                        .map(BeanDefinition::isAutowireCandidate)
                        .orElse(true))
                .toList();
    }

    private String onlyOne(Kind kind, List<String> names) {
        if (names.size() == 1) {
            return names.get(0);
        }
        List<String> primary = names.stream()
                .filter(name -> definition(name).map(BeanDefinition::isPrimary).orElse(false))
                .toList();
        if (primary.size() == 1) {
            return primary.get(0);
        }
        throw new HoldfastStartupException(
                "there are several beans of the type " + kind.shortType() + " that could keep the locks: "
                        + String.join(", ", names),
                "name one of them with 'holdfast.bean', mark one as @Primary, or set 'holdfast.url'");
    }

    private Optional<BeanDefinition> definition(String name) {
        return beans.containsBeanDefinition(name) ? Optional.of(beans.getMergedBeanDefinition(name)) : Optional.empty();
    }

    /** A store of the application's own. */
    static final class FactoryAdapter implements Adapter {
        @Override
        public Consumer<HoldfastBuilder> adapt(Object bean, Map<String, String> options) {
            Options.none(options, "a StoreFactory");
            return builder -> builder.store((StoreFactory) bean);
        }
    }
}
