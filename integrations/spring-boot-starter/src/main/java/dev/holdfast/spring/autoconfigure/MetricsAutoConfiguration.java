package dev.holdfast.spring.autoconfigure;

import dev.holdfast.micrometer.HoldfastMetrics;
import dev.holdfast.micrometer.HoldfastObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Metrics and traces, with holdfast-micrometer on the class path. The client takes them up as listeners. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.export.simple.SimpleMetricsExportAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.tracing.MicrometerTracingAutoConfiguration"
        })
@ConditionalOnClass({HoldfastMetrics.class, MeterRegistry.class})
@ConditionalOnProperty(name = "holdfast.enabled", matchIfMissing = true)
public class MetricsAutoConfiguration {

    @Bean
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnMissingBean
    HoldfastMetrics holdfastMetrics(MeterRegistry registry) {
        return HoldfastMetrics.of(registry);
    }

    /** Only with a tracer: without one, observations would be a second set of timers, and cost more than the first. */
    @Bean
    @ConditionalOnBean(value = ObservationRegistry.class, type = "io.micrometer.tracing.Tracer")
    @ConditionalOnMissingBean
    HoldfastObservations holdfastObservations(ObservationRegistry registry) {
        return HoldfastObservations.of(registry);
    }
}
