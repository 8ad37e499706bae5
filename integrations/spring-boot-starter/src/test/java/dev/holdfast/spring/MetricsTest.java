package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.micrometer.HoldfastMetrics;
import dev.holdfast.micrometer.HoldfastObservations;
import dev.holdfast.spring.autoconfigure.MetricsAutoConfiguration;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Metrics and traces are set up where the application has them. */
class MetricsTest {
    private static final ApplicationContextRunner APP =
            Apps.inMemory().withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class));

    @Test
    void locksAreMeasuredAndObserved() {
        APP.withBean(SimpleMeterRegistry.class)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> {
                    assertThat(context).hasSingleBean(HoldfastMetrics.class).hasSingleBean(HoldfastObservations.class);
                    context.getBean(Holdfast.class).lock("a").run(lease -> {});
                    SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
                    Awaitility.await()
                            .until(() -> registry.getMeters().stream()
                                    .anyMatch(meter -> meter.getId().getName().startsWith("holdfast.")));
                });
    }

    @Test
    void withoutATracerLocksAreNotObserved() {
        APP.withBean(SimpleMeterRegistry.class)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .run(context -> assertThat(context)
                        .hasSingleBean(HoldfastMetrics.class)
                        .doesNotHaveBean(HoldfastObservations.class));
    }

    @Test
    void withoutARegistryOrWithoutTheModuleThereIsNothing() {
        APP.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HoldfastMetrics.class));
        APP.withBean(SimpleMeterRegistry.class)
                .withClassLoader(new FilteredClassLoader("dev.holdfast.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(Holdfast.class));
    }
}
