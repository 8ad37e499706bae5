package dev.holdfast.spring.autoconfigure;

import dev.holdfast.Holdfast;
import dev.holdfast.spring.actuate.ClientNumbers;
import dev.holdfast.spring.actuate.LocksEndpoint;
import dev.holdfast.spring.actuate.StoreHealth;
import dev.holdfast.spring.locked.ScheduledRuns;
import java.util.Map;
import java.util.TreeSet;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/** Endpoint, health and info. */
@AutoConfiguration(
        after = HoldfastAutoConfiguration.class,
        // The store joins a group that these make.
        afterName = {
            "org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.availability.AvailabilityProbesAutoConfiguration"
        })
@ConditionalOnClass(Endpoint.class)
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
public class ActuatorAutoConfiguration {

    /** Not after the client: it listens to the client from the beginning. */
    @Bean
    ClientNumbers holdfastClientNumbers() {
        return new ClientNumbers();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Holdfast.class)
    @ConditionalOnClass(Endpoint.class)
    @Import(HealthOfThisBoot.class)
    static class WithClient {
        @Bean
        StoreHealth holdfastStoreHealth(Holdfast locks, ClientNumbers numbers, HoldfastProperties properties) {
            return new StoreHealth(locks, numbers, properties.getDefaults().getLeaseTime());
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
        LocksEndpoint holdfastLocksEndpoint(Holdfast locks, ObjectProvider<ScheduledRuns> runs) {
            return new LocksEndpoint(locks, runs.stream().toList());
        }

        @Bean
        @ConditionalOnEnabledInfoContributor("holdfast")
        InfoContributor holdfastInfoContributor(Holdfast locks) {
            return builder -> builder.withDetail(
                    "holdfast",
                    Map.of(
                            "client", locks.clientName(),
                            "expiry", locks.traits().expiry().name(),
                            "promises", new TreeSet<>(locks.traits().promises()),
                            "failover", locks.traits().failover()));
        }
    }

    /** By name, because each needs types that the other Boot does not have. Conditions choose one, or none. */
    static final class HealthOfThisBoot implements ImportSelector {
        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return new String[] {
                "dev.holdfast.spring.actuate.Boot4HealthConfiguration",
                "dev.holdfast.spring.boot3.Boot3HealthConfiguration"
            };
        }
    }
}
