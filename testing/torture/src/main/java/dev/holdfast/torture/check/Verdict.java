package dev.holdfast.torture.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a history shows. Violations are what the store's guarantees exclude; the rest is counted. Not thread-safe. */
public final class Verdict {
    /**
     * Something that must not happen.
     *
     * @param property which, such as P1
     * @param at when, in nanoseconds of the referee's clock
     * @param text what
     */
    public record Violation(String property, long at, String text) {
        @Override
        public String toString() {
            return property + " at " + at / 1_000_000 + " ms: " + text;
        }
    }

    private final List<Violation> violations = new ArrayList<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Map<String, String> measures = new LinkedHashMap<>();

    void violated(String property, long at, String text) {
        violations.add(new Violation(property, at, text));
    }

    void count(String what) {
        count(what, 1);
    }

    void count(String what, long by) {
        counts.merge(what, by, Long::sum);
    }

    void measure(String what, String value) {
        measures.put(what, value);
    }

    /** {@return what must not have happened} */
    public List<Violation> violations() {
        return List.copyOf(violations);
    }

    /**
     * Reads a count.
     *
     * @param what its name
     * @return how often it was counted
     */
    public long counted(String what) {
        return counts.getOrDefault(what, 0L);
    }

    /** {@return all counts, by name} */
    public Map<String, Long> counts() {
        return Map.copyOf(counts);
    }

    /** {@return what was measured, by name} */
    public Map<String, String> measures() {
        return Map.copyOf(measures);
    }
}
