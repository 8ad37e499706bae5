package dev.holdfast.torture.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a history shows. Two things are told apart. A violation is wrong: the store's guarantees exclude it, and no slowness
 * of the machine can explain it. Something late came after its limit, although everything that the machine is known to have
 * delayed is allowed on top; on a machine that is busy in ways that nobody has measured it may be nobody's fault. The rest
 * is counted. Not thread-safe.
 */
public final class Verdict {
    /**
     * Something that must not happen, or not so late.
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
    private final List<Violation> late = new ArrayList<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();
    private final Map<String, String> measures = new LinkedHashMap<>();

    /**
     * Notes a violation.
     *
     * @param property which
     * @param at when, in nanoseconds of the referee's clock
     * @param text what
     */
    public void violated(String property, long at, String text) {
        violations.add(new Violation(property, at, text));
    }

    void late(String property, long at, String text) {
        late.add(new Violation(property, at, text));
    }

    void count(String what) {
        count(what, 1);
    }

    /**
     * Counts.
     *
     * @param what its name
     * @param by how often it happened
     */
    public void count(String what, long by) {
        counts.merge(what, by, Long::sum);
    }

    void measure(String what, String value) {
        measures.put(what, value);
    }

    /** {@return what must not have happened} */
    public List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** {@return what came later than it may, on a machine that was not known to be busy} */
    public List<Violation> late() {
        return List.copyOf(late);
    }

    /** {@return violations, then what was late} */
    public List<Violation> findings() {
        List<Violation> all = new ArrayList<>(violations);
        all.addAll(late);
        return List.copyOf(all);
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
