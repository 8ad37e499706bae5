package dev.holdfast.spring.autoconfigure;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.HoldfastListener;
import dev.holdfast.spring.HoldfastCustomizer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** The application's client, on the store that {@link StoreFinder} chooses. Types that Boot 4 has moved go by name. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
@Import(NamedLocks.Registrar.class)
public class HoldfastAutoConfiguration {
    private static final Log log = LogFactory.getLog("dev.holdfast.spring");
    private static final int LONGEST_NAME = 200;
    static final String BEAN_NAME = "holdfast";

    @Bean(name = BEAN_NAME, destroyMethod = "close")
    @ConditionalOnMissingBean
    Holdfast holdfast(
            ConfigurableListableBeanFactory beans,
            HoldfastProperties properties,
            Environment environment,
            ObjectProvider<HoldfastListener> listeners,
            ObjectProvider<HoldfastCustomizer> customizers) {
        StoreFinder.Choice choice = new StoreFinder(beans, properties).find();
        HoldfastBuilder builder = Holdfast.builder()
                .commandTimeout(properties.getCommandTimeout())
                .lazy(properties.isLazy())
                .stayAwake(properties.isStayAwake())
                .defaults(properties.getDefaults().toOptions())
                .clientName(clientName(properties, environment));
        choice.apply().accept(builder);
        String password = properties.getPassword();
        if (password != null) {
            String user = properties.getUsername();
            builder.credentials(user == null ? Credentials.ofPassword(password) : Credentials.of(user, password));
        }
        List<HoldfastListener> told = listeners.orderedStream().toList();
        if (!told.isEmpty()) {
            builder.listener(HoldfastListener.all(told));
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
        Holdfast client = builder.build();
        if (choice.beanName() != null) {
            // The pool is closed after the client, which gives its locks back through it.
            beans.registerDependentBean(choice.beanName(), BEAN_NAME);
        }
        log.info("Locks are kept at " + choice.description() + "; this instance is '" + client.clientName() + "'");
        return client;
    }

    @Bean(NamedLocks.BEAN_NAME)
    NamedLocks holdfastNamedLocks(Holdfast locks, HoldfastProperties properties) {
        return new NamedLocks(locks, properties);
    }

    private static String clientName(HoldfastProperties properties, Environment environment) {
        String given = properties.getClientName();
        if (StringUtils.hasText(given)) {
            return given;
        }
        String application = environment.getProperty("spring.application.name", "");
        String name = (application.isBlank() ? "" : application + "@") + host() + "/"
                + ProcessHandle.current().pid();
        return name.length() <= LONGEST_NAME ? name : name.substring(name.length() - LONGEST_NAME);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            return "localhost";
        }
    }
}
