package dev.holdfast.spring.locked;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/** The last run of each locked and scheduled method in this process. Thread-safe. */
public final class ScheduledRuns {

    /** How a run ended. */
    public enum Outcome {
        /** It is under way. */
        RUNNING,
        /** It returned. */
        RAN,
        /** It threw an exception, or its lock was lost. */
        FAILED
    }

    /**
     * What is known of one method.
     *
     * @param method class and method
     * @param locks the names of its locks
     * @param lastStart when this instance last ran it; null if never
     * @param lastDuration how long that took; null while it runs
     * @param lastOutcome how that ended; null if never
     * @param lastSkipped when this instance last left it to another one; null if never
     */
    public record Run(
            String method,
            List<String> locks,
            @Nullable Instant lastStart,
            @Nullable Duration lastDuration,
            @Nullable Outcome lastOutcome,
            @Nullable Instant lastSkipped) {}

    private final Map<String, Run> runs = new ConcurrentSkipListMap<>();

    /** Makes an empty record. */
    public ScheduledRuns() {}

    /** {@return all methods that were called, by class and method} */
    public List<Run> all() {
        return List.copyOf(new TreeMap<>(runs).values());
    }

    void started(String method, List<String> locks) {
        runs.merge(
                method,
                new Run(method, locks, Instant.now(), null, Outcome.RUNNING, null),
                (old, now) -> new Run(method, locks, now.lastStart(), null, Outcome.RUNNING, old.lastSkipped()));
    }

    void ended(String method, Duration took, Outcome outcome) {
        runs.computeIfPresent(
                method, (key, old) -> new Run(method, old.locks(), old.lastStart(), took, outcome, old.lastSkipped()));
    }

    void skipped(String method, List<String> locks) {
        runs.merge(
                method,
                new Run(method, locks, null, null, null, Instant.now()),
                (old, now) -> new Run(
                        method, locks, old.lastStart(), old.lastDuration(), old.lastOutcome(), now.lastSkipped()));
    }
}
