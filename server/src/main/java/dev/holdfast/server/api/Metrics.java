package dev.holdfast.server.api;

import dev.holdfast.server.wire.Call;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What Prometheus reads. Labels have few values; no name of a lock and no client is one. Thread-safe. */
public final class Metrics {
    private static final long[] BOUNDS_MILLIS = {1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000};

    private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();
    private final Map<String, Durations> durations = new ConcurrentHashMap<>();
    private final Map<String, Gauge> gauges = new LinkedHashMap<>();

    private record Gauge(String help, LongSupplier value) {}

    /** How long the requests of one kind took. */
    private static final class Durations {
        private final LongAdder[] buckets = new LongAdder[BOUNDS_MILLIS.length + 1];
        private final LongAdder nanos = new LongAdder();

        Durations() {
            for (int i = 0; i < buckets.length; i++) {
                buckets[i] = new LongAdder();
            }
        }

        void add(long took) {
            long millis = TimeUnit.NANOSECONDS.toMillis(took);
            int bucket = 0;
            while (bucket < BOUNDS_MILLIS.length && millis >= BOUNDS_MILLIS[bucket]) {
                bucket++;
            }
            buckets[bucket].increment();
            nanos.add(took);
        }
    }

    /** Sets it up; gauges are added before it is used. */
    public Metrics() {
        gauge(
                "process_threads",
                "Threads of the process.",
                () -> ManagementFactory.getThreadMXBean().getThreadCount());
        gauge(
                "process_memory_used_bytes",
                "Memory that Java uses for objects.",
                () -> Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }

    /** Adds a number that is asked for when it is read. */
    public void gauge(String name, String help, LongSupplier value) {
        gauges.put(name, new Gauge(help, value));
    }

    /** Counts a request that has ended. */
    public void ended(Call call, long nowNanos) {
        String operation = call.operation();
        String status = call.status() == 0 ? "gone" : Integer.toString(call.status());
        counters.computeIfAbsent("operation=\"" + operation + "\",status=\"" + status + "\"", made -> new LongAdder())
                .increment();
        durations.computeIfAbsent(operation, made -> new Durations()).add(Math.max(0, nowNanos - call.arrivedNanos()));
    }

    /** Counts what was no request. */
    public void refused(int status) {
        counters.computeIfAbsent("operation=\"none\",status=\"" + status + "\"", made -> new LongAdder())
                .increment();
    }

    /** {@return the text that Prometheus reads} */
    public String text() {
        StringBuilder out = new StringBuilder();
        head(out, "holdfast_http_requests_total", "counter", "Requests that were answered, or whose client went away.");
        new TreeMap<>(counters)
                .forEach((labels, count) -> out.append("holdfast_http_requests_total{")
                        .append(labels)
                        .append("} ")
                        .append(count.sum())
                        .append('\n'));
        String name = "holdfast_http_request_seconds";
        head(out, name, "histogram", "How long requests took, waiting included.");
        new TreeMap<>(durations).forEach((operation, took) -> {
            String label = "operation=\"" + operation + "\"";
            long count = 0;
            for (int i = 0; i < BOUNDS_MILLIS.length; i++) {
                count += took.buckets[i].sum();
                out.append(String.format(
                        Locale.ROOT, "%s_bucket{%s,le=\"%s\"} %d%n", name, label, BOUNDS_MILLIS[i] / 1000.0, count));
            }
            count += took.buckets[BOUNDS_MILLIS.length].sum();
            out.append(String.format(Locale.ROOT, "%s_bucket{%s,le=\"+Inf\"} %d%n", name, label, count));
            out.append(
                    String.format(Locale.ROOT, "%s_sum{%s} %.6f%n", name, label, took.nanos.sum() / 1_000_000_000.0));
            out.append(String.format(Locale.ROOT, "%s_count{%s} %d%n", name, label, count));
        });
        gauges.forEach((gauge, what) -> {
            head(out, "holdfast_" + gauge, "gauge", what.help);
            out.append("holdfast_")
                    .append(gauge)
                    .append(' ')
                    .append(what.value.getAsLong())
                    .append('\n');
        });
        return out.toString();
    }

    private static void head(StringBuilder out, String name, String type, String help) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }
}
