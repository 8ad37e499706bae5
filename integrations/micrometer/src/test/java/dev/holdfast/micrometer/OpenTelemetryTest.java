package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Spans as OpenTelemetry exports them, through Micrometer's bridge. */
class OpenTelemetryTest {
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final Tracer tracer =
            new OtelTracer(provider.get("holdfast-test"), new OtelCurrentTraceContext(), event -> {});
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final Holdfast locks = Holdfast.builder()
            .url("memory:")
            .listener(HoldfastObservations.of(registry))
            .build();

    OpenTelemetryTest() {
        registry.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
    }

    @AfterEach
    void close() {
        locks.close();
        provider.close();
    }

    private SpanData span(String name) {
        await().until(() -> exporter.getFinishedSpanItems().stream()
                .anyMatch(span -> span.getName().equals(name)));
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void waitAndHoldAreSpansOfTheCallersTrace() throws InterruptedException {
        Observation request = Observation.start("request", registry);
        long token;
        try (Observation.Scope scope = request.openScope();
                Lease lease = locks.lock("orders/42").acquire()) {
            token = lease.token();
        }
        request.stop();
        SpanData parent = span("request");
        for (SpanData span : new SpanData[] {span("lock wait"), span("lock hold")}) {
            assertThat(span.getTraceId()).isEqualTo(parent.getTraceId());
            assertThat(span.getParentSpanId()).isEqualTo(parent.getSpanId());
            assertThat(span.getAttributes().get(AttributeKey.stringKey("holdfast.token")))
                    .isEqualTo(Long.toString(token));
            assertThat(span.getAttributes().get(AttributeKey.stringKey("holdfast.lock")))
                    .isEqualTo("orders/42");
        }
    }

    @Test
    void aSpanWithoutAnObservationIsFoundThroughTheWait() throws InterruptedException {
        Span request = tracer.nextSpan().name("plain").start();
        try (Tracer.SpanInScope scope = tracer.withSpan(request)) {
            locks.lock("a").acquire().close();
        }
        request.end();
        SpanData parent = span("plain");
        assertThat(span("lock wait").getParentSpanId()).isEqualTo(parent.getSpanId());
        assertThat(span("lock hold").getTraceId()).isEqualTo(parent.getTraceId());
    }

    @Test
    void aWaitThatTakesItsTimeIsALongSpanAndALossIsAnError() throws InterruptedException {
        Lease first = locks.lock("a").acquire();
        span("lock wait");
        exporter.reset();
        long began = System.nanoTime();
        CompletableFuture<Lease> second = locks.lock("a").acquireAsync();
        await().until(() -> System.nanoTime() - began > 20_000_000);
        first.close();
        Lease lost = second.join();
        SpanData wait = span("lock wait");
        assertThat(wait.getEndEpochNanos() - wait.getStartEpochNanos()).isGreaterThanOrEqualTo(20_000_000);
        exporter.reset();
        locks.evict("a", "a test");
        assertThat(span("lock hold").getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        lost.release();
    }
}
