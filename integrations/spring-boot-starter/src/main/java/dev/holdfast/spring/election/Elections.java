package dev.holdfast.spring.election;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.HoldfastStartupException;
import dev.holdfast.spring.OnElected;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;

/** Stands for the elections of the application once everything else has started, and resigns before anything else stops. */
public final class Elections implements SmartLifecycle, SmartInitializingSingleton {
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final ApplicationEventPublisher events;
    private final List<String> named;
    private final List<Term> terms = new ArrayList<>();
    private volatile boolean running;

    /**
     * Makes them.
     *
     * @param beans where the beans of the elections are
     * @param environment resolves placeholders
     * @param events told of terms
     * @param named elections that are wanted even without beans
     */
    public Elections(
            ConfigurableListableBeanFactory beans,
            Environment environment,
            ApplicationEventPublisher events,
            List<String> named) {
        this.beans = beans;
        this.environment = environment;
        this.events = events;
        this.named = List.copyOf(named);
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, List<Lifecycle>> byElection = new LinkedHashMap<>();
        named.forEach(name -> byElection.put(name, new ArrayList<>()));
        for (String beanName : beans.getBeanNamesForAnnotation(OnElected.class)) {
            OnElected annotation = beans.findAnnotationOnBean(beanName, OnElected.class);
            if (annotation != null) {
                String election = environment.resolveRequiredPlaceholders(annotation.value());
                byElection.computeIfAbsent(election, name -> new ArrayList<>()).add(checked(beanName));
            }
        }
        if (!byElection.isEmpty()) {
            Holdfast locks = beans.getBean(Holdfast.class);
            byElection.forEach((name, members) -> terms.add(new Term(name, locks, members, events)));
        }
    }

    private Lifecycle checked(String beanName) {
        Object bean = beans.getBean(beanName);
        if (!(bean instanceof Lifecycle lifecycle)) {
            throw new HoldfastStartupException(
                    "the bean '" + beanName
                            + "' has @OnElected but is not a Lifecycle, so it cannot be started and stopped",
                    "implement org.springframework.context.Lifecycle, or listen to ElectedEvent and DeposedEvent");
        }
        if (bean instanceof SmartLifecycle smart && smart.isAutoStartup()) {
            throw new HoldfastStartupException(
                    "the bean '" + beanName + "' has @OnElected but starts by itself, elected or not",
                    "let its isAutoStartup() return false, or make it a plain Lifecycle");
        }
        return lifecycle;
    }

    @Override
    public void start() {
        running = true;
        terms.forEach(Term::stand);
    }

    @Override
    public void stop() {
        terms.forEach(Term::leave);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
