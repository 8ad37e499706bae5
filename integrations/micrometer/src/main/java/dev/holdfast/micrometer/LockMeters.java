package dev.holdfast.micrometer;

import dev.holdfast.HoldfastEvent.Acquired.Source;
import dev.holdfast.LossReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** The meters of all locks, or of those that share a tag. Thread-safe. */
final class LockMeters {
    private static final String NO_SOURCE = "none";

    final Timer contended;
    final Timer failed;
    final Timer abandoned;
    final Timer hold;
    final Timer renewalLag;
    private final Map<Source, Timer> acquired = new EnumMap<>(Source.class);
    private final Map<LossReason, Counter> losses = new EnumMap<>(LossReason.class);

    LockMeters(MeterRegistry registry, Tags tags) {
        for (Source source : Source.values()) {
            acquired.put(source, acquire(registry, tags, "acquired", lower(source)));
        }
        contended = acquire(registry, tags, "contended", NO_SOURCE);
        failed = acquire(registry, tags, "failed", NO_SOURCE);
        abandoned = acquire(registry, tags, "abandoned", NO_SOURCE);
        hold = Timer.builder("holdfast.hold")
                .description("how long leases were held until they were released")
                .tags(tags)
                .register(registry);
        renewalLag = Timer.builder("holdfast.renewal.lag")
                .description("from when a renewal was due to the store's answer")
                .tags(tags)
                .register(registry);
        for (LossReason reason : LossReason.values()) {
            losses.put(
                    reason,
                    Counter.builder("holdfast.losses")
                            .description("leases that ended before they were released")
                            .tags(tags.and("reason", lower(reason)))
                            .register(registry));
        }
    }

    private static Timer acquire(MeterRegistry registry, Tags tags, String outcome, String source) {
        return Timer.builder("holdfast.acquire")
                .description("how long attempts to get a lock took, by how they ended")
                .tags(tags.and("outcome", outcome, "source", source))
                .register(registry);
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    void acquired(Source source, Duration waited) {
        Timer timer = acquired.get(source);
        if (timer != null) {
            timer.record(waited);
        }
    }

    void lost(LossReason reason) {
        Counter counter = losses.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }
}
