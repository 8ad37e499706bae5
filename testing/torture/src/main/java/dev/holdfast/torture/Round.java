package dev.holdfast.torture;

import dev.holdfast.torture.check.Verdict;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;

/**
 * One history, judged.
 *
 * @param rig on which
 * @param file where it is recorded
 * @param verdict what it shows
 * @param proves whether it could have found anything
 */
public record Round(String rig, Path file, Verdict verdict, boolean proves) {
    private static final int MOST_SHOWN = 12;

    static Round judge(String rig, Path file, Verdict verdict) {
        boolean proves = verdict.counted("lost_updates_without_locks") > 0
                && verdict.counted("lost_updates_staged") >= verdict.counted("controls_staged")
                && verdict.counted("grants") > 0
                && verdict.counted("faults") > 0;
        return new Round(rig, file, verdict, proves);
    }

    /** {@return whether nothing came too late} */
    public boolean timely() {
        return verdict.late().isEmpty();
    }

    /** {@return whether nothing was violated, in a run that could have shown it} */
    public boolean sound() {
        return proves && verdict.violations().isEmpty();
    }

    /**
     * Prints what was found.
     *
     * @param out where to
     */
    public void print(PrintStream out) {
        out.println(rig + ": " + new TreeMap<>(verdict.counts()) + " " + new TreeMap<>(verdict.measures()));
        verdict.violations().stream().limit(MOST_SHOWN).forEach(each -> out.println(rig + ": VIOLATION " + each));
        verdict.late().stream().limit(MOST_SHOWN).forEach(each -> out.println(rig + ": LATE " + each));
        if (verdict.violations().size() > MOST_SHOWN) {
            out.println(rig + ": … and " + (verdict.violations().size() - MOST_SHOWN) + " more");
        }
        if (!proves) {
            out.println(rig
                    + ": PROVES NOTHING: the control without locks lost no update, or the one with a paused holder and no"
                    + " guard, or nothing was granted, or no fault happened");
        }
        out.println(rig + ": history " + file);
    }

    /**
     * Sums up.
     *
     * @param rounds all histories
     * @return the line for machines
     */
    public static String summary(List<Round> rounds) {
        long violations = rounds.stream()
                .mapToLong(round -> round.verdict.violations().size())
                .sum();
        return "histories=" + sum(rounds, "histories")
                + " grants=" + sum(rounds, "grants")
                + " faults=" + sum(rounds, "faults")
                + " violations=" + violations
                + " lost_updates_unguarded=" + sum(rounds, "lost_updates_unguarded")
                + " lost_updates_guarded=" + sum(rounds, "lost_updates_guarded")
                + " late="
                + rounds.stream()
                        .mapToLong(round -> round.verdict.late().size())
                        .sum();
    }

    private static long sum(List<Round> rounds, String what) {
        return rounds.stream().mapToLong(round -> round.verdict.counted(what)).sum();
    }
}
