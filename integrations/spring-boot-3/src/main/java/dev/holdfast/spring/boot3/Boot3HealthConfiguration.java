package dev.holdfast.spring.boot3;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.AdditionalHealthEndpointPath;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthEndpointGroup;
import org.springframework.boot.actuate.health.HealthEndpointGroups;
import org.springframework.boot.actuate.health.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.HttpCodeStatusMapper;
import org.springframework.boot.actuate.health.StatusAggregator;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Health of the lock store on Spring Boot 3. Its twin for Boot 4 is in the starter. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
@ConditionalOnEnabledHealthIndicator("holdfast")
public class Boot3HealthConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
    HealthIndicator holdfastHealthIndicator(StoreCheck check) {
        return new AbstractHealthIndicator("the lock store cannot be relied on") {
            @Override
            protected void doHealthCheck(Health.Builder builder) throws Exception {
                builder.up().withDetails(check.look());
            }
        };
    }

    /** An instance without locks gets no traffic, but is not restarted: the store would not come back by that. */
    @Bean
    static HealthEndpointGroupsPostProcessor holdfastReadiness(Environment environment) {
        return groups -> {
            HealthEndpointGroup readiness = groups.get("readiness");
            if (readiness == null
                    || environment.containsProperty("management.endpoint.health.group.readiness.include")) {
                return groups;
            }
            Map<String, HealthEndpointGroup> all = new LinkedHashMap<>();
            groups.getNames().forEach(name -> all.put(name, groups.get(name)));
            all.put("readiness", new WithLocks(readiness));
            return HealthEndpointGroups.of(groups.getPrimary(), all);
        };
    }

    private record WithLocks(HealthEndpointGroup group) implements HealthEndpointGroup {
        @Override
        public boolean isMember(String name) {
            return name.equals("holdfast") || group.isMember(name);
        }

        @Override
        public boolean showComponents(SecurityContext securityContext) {
            return group.showComponents(securityContext);
        }

        @Override
        public boolean showDetails(SecurityContext securityContext) {
            return group.showDetails(securityContext);
        }

        @Override
        public StatusAggregator getStatusAggregator() {
            return group.getStatusAggregator();
        }

        @Override
        public HttpCodeStatusMapper getHttpCodeStatusMapper() {
            return group.getHttpCodeStatusMapper();
        }

        @Override
        public @Nullable AdditionalHealthEndpointPath getAdditionalPath() {
            return group.getAdditionalPath();
        }
    }
}
