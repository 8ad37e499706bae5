package dev.holdfast.spring.autoconfigure;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.locked.CommitGuard;
import dev.holdfast.spring.locked.LockedAdvisor;
import dev.holdfast.spring.locked.LockedChecks;
import dev.holdfast.spring.locked.LockedInterceptor;
import dev.holdfast.spring.locked.LockedMethods;
import dev.holdfast.spring.locked.ScheduledRuns;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/** Makes {@link dev.holdfast.spring.Locked} work. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnProperty(
        name = {"holdfast.enabled", "holdfast.locked.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
@Import(LockedAutoConfiguration.AutoProxy.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockedAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ScheduledRuns holdfastScheduledRuns() {
        return new ScheduledRuns();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods holdfastLockedMethods(Environment environment, ObjectProvider<HoldfastProperties> properties) {
        return new LockedMethods(
                environment,
                () -> properties.getObject().getLocked().getWait(),
                () -> properties.getObject().getDefaults().toOptions());
    }

    /**
     * Made before other beans can be: so the client, its pool and the properties come at the first call, because with the
     * advice they would escape the proxies of others.
     */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedAdvisor holdfastLockedAdvisor(
            ObjectProvider<Holdfast> locks,
            BeanFactory beans,
            LockedMethods methods,
            ScheduledRuns runs,
            Environment environment) {
        int order = Binder.get(environment)
                .bind("holdfast.locked.order", Integer.class)
                .orElseGet(() -> new HoldfastProperties().getLocked().getOrder());
        return new LockedAdvisor(
                new LockedInterceptor(SingletonSupplier.of(locks::getObject), beans, methods, runs), order);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedChecks holdfastLockedChecks(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockedMethods> methods,
            ObjectProvider<HoldfastProperties> properties) {
        return new LockedChecks(
                beans,
                methods::getObject,
                () -> properties.getObject().getLocked().getSelfInvocation());
    }

    /** Uses the proxies that transactions use, so that there is one per bean and one order of advice. */
    static final class AutoProxy implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.transaction.TransactionExecutionListener")
    static class WithTransactions {
        @Bean
        CommitGuard holdfastCommitGuard() {
            return new CommitGuard();
        }
    }
}
