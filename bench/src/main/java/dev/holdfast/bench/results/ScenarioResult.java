package dev.holdfast.bench.results;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came out of one scenario.
 *
 * @param store where
 * @param server what it ran on
 * @param name which
 * @param title the same for people
 * @param unit of the figure by which makers are compared, for people
 * @param moreIsBetter whether more of it is better
 * @param failure why there are no figures; null if there are
 * @param makers what each achieved, ours first
 * @param comparisons of ours with the others
 * @param targets what was asked of ours
 */
public record ScenarioResult(
        String store,
        String server,
        String name,
        String title,
        String unit,
        boolean moreIsBetter,
        @Nullable String failure,
        List<MakerResult> makers,
        List<Comparison> comparisons,
        List<TargetResult> targets) {

    /**
     * A maker, round by round.
     *
     * @param maker its name on command lines
     * @param title the same for people
     * @param setUp how it was set up, with its version
     * @param rounds every figure by its name
     */
    public record MakerResult(String maker, String title, String setUp, List<Map<String, @Nullable Double>> rounds) {}

    /** Who ours is compared with. */
    public enum Kind {
        /** Another library. */
        PEER,
        /** A lock within one process, of the JDK. */
        LOCAL,
        /** The bare store. */
        FLOOR,
        /** Ours, set up in another way. */
        OURS,
        /** Ours, as it was in the checkout of {@code --before}. */
        BEFORE
    }

    /**
     * Ours divided by another, round by round.
     *
     * @param ours the name of ours
     * @param theirs the name of the other
     * @param title of the other, for people
     * @param kind who the other is
     * @param ratio over the rounds
     */
    public record Comparison(String ours, String theirs, String title, Kind kind, Ratio ratio) {}

    /**
     * A figure over several rounds.
     *
     * @param median the middle one
     * @param least the smallest
     * @param most the largest
     * @param text the same for people
     */
    public record Ratio(double median, double least, double most, String text) {}

    /**
     * What was asked, and what was measured. Only one of the bounds is there.
     *
     * @param what is measured, for people
     * @param atLeast the bound; null if the other one is there
     * @param atMost the bound; null if the other one is there
     * @param value the one that counts; null if nothing was measured
     * @param least over the rounds; null if nothing was measured
     * @param most over the rounds; null if nothing was measured
     * @param asked for people
     * @param measured for people
     * @param met whether the value is within the bound
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record TargetResult(
            String what,
            @Nullable Double atLeast,
            @Nullable Double atMost,
            @Nullable Double value,
            @Nullable Double least,
            @Nullable Double most,
            String asked,
            String measured,
            boolean met) {}
}
