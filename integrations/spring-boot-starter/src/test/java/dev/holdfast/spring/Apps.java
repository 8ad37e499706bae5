package dev.holdfast.spring;

import dev.holdfast.spring.autoconfigure.HoldfastAutoConfiguration;
import dev.holdfast.spring.autoconfigure.LockedAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Applications as Spring Boot sets them up. Classes that Boot 4 has moved are found by either name. */
final class Apps {
    private static final String[][] DATABASE = {
        {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration"
        },
        {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration"
        },
        {
            "org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.JdbcTemplateAutoConfiguration"
        },
        {
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"
        },
        {
            "org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionManagerCustomizationAutoConfiguration"
        },
    };
    private static final String[][] REDIS = {
        {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        },
    };

    private Apps() {}

    /** {@return an application with the starter, without any store} */
    static ApplicationContextRunner bare() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class, HoldfastAutoConfiguration.class, LockedAutoConfiguration.class));
    }

    /** {@return an application with locks in its own memory} */
    static ApplicationContextRunner inMemory() {
        return bare().withPropertyValues("holdfast.url=memory:");
    }

    static ApplicationContextRunner withDatabase(ApplicationContextRunner app, String url, String... properties) {
        return app.withConfiguration(AutoConfigurations.of(found(DATABASE)))
                .withPropertyValues("spring.datasource.url=" + url)
                .withPropertyValues(properties);
    }

    static ApplicationContextRunner withRedis(ApplicationContextRunner app, int port, String... properties) {
        return app.withConfiguration(AutoConfigurations.of(found(REDIS)))
                .withPropertyValues("spring.data.redis.port=" + port)
                .withPropertyValues(properties);
    }

    static Class<?>[] found(String[][] alternatives) {
        List<Class<?>> classes = new ArrayList<>();
        for (String[] names : alternatives) {
            String name = ClassUtils.isPresent(names[0], null) ? names[0] : names[1];
            classes.add(ClassUtils.resolveClassName(name, Apps.class.getClassLoader()));
        }
        return classes.toArray(new Class<?>[0]);
    }

    /** {@return the names of what would give an application a data source or Redis, for spring.autoconfigure.exclude} */
    static String storesOfBoot() {
        return found(DATABASE)[0].getName() + "," + found(REDIS)[0].getName();
    }

    /** {@return the first Holdfast problem among the causes} */
    static HoldfastStartupException problem(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof HoldfastStartupException found) {
                return found;
            }
        }
        throw new AssertionError("the application failed for another reason", failure);
    }
}
