package dev.holdfast.test.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.test.TestLocks;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** Registers the beans before everything else, so that an auto-configured client stays away. */
record LocksCustomizer() implements ContextCustomizer {
    private static final String LOCKS = "holdfastTestLocks";
    private static final String CLIENT = "holdfastTestClient";

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        if (!(context.getBeanFactory() instanceof BeanDefinitionRegistry registry)) {
            throw new IllegalStateException("@HoldfastTest cannot register beans in " + context.getBeanFactory());
        }
        RootBeanDefinition locks = new RootBeanDefinition(TestLocks.class, TestLocks::open);
        locks.setDestroyMethodName("close");
        registry.registerBeanDefinition(LOCKS, locks);
        RootBeanDefinition client = new RootBeanDefinition(
                Holdfast.class, () -> context.getBean(LOCKS, TestLocks.class).client());
        client.setPrimary(true);
        client.setDependsOn(LOCKS);
        // The locks close it.
        client.setDestroyMethodName("");
        registry.registerBeanDefinition(CLIENT, client);
    }

    /** Found by Spring in {@code META-INF/spring.factories}. */
    static final class Factory implements ContextCustomizerFactory {
        Factory() {}

        @Override
        public @Nullable ContextCustomizer createContextCustomizer(
                Class<?> test, List<ContextConfigurationAttributes> attributes) {
            return AnnotatedElementUtils.hasAnnotation(test, HoldfastTest.class) ? new LocksCustomizer() : null;
        }
    }
}
