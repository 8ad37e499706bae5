package dev.holdfast.torture.mutants;

import dev.holdfast.rig.CannotRunException;
import dev.holdfast.torture.Options;
import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Verdict;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Sees whether the checker catches every seeded bug. */
public final class Hunt {
    private static final int SEEDS = 6;

    private Hunt() {}

    /** Records one history. */
    @FunctionalInterface
    public interface Recording {
        /**
         * Records one history.
         *
         * @param options with the seeded bug
         * @return its file
         * @throws InterruptedException if interrupted
         */
        Path record(Options options) throws InterruptedException;
    }

    /**
     * Hunts all of them, or the one that the options name.
     *
     * @param options of every run
     * @param recording how a history is made
     * @param out where to say what was caught
     * @return whether all were caught
     * @throws InterruptedException if interrupted
     */
    public static boolean run(Options options, Recording recording, PrintStream out) throws InterruptedException {
        List<Bug> all = options.mutant().isEmpty()
                ? Bugs.list()
                : Arrays.stream(options.mutant().split(",", -1))
                        .map(Bugs::named)
                        .toList();
        List<String> escaped = new ArrayList<>();
        List<String> skipped = new ArrayList<>();
        for (Bug bug : all) {
            try {
                if (!caught(bug, options, recording, out)) {
                    escaped.add(bug.word());
                    out.println("ESCAPED " + bug.word());
                }
            } catch (CannotRunException missing) {
                skipped.add(bug.word());
                out.println("SKIPPED " + bug.word() + ", " + missing.getMessage());
            }
        }
        out.println("mutants=" + all.size() + " caught=" + (all.size() - escaped.size() - skipped.size()) + " escaped="
                + escaped + " skipped=" + skipped);
        return escaped.isEmpty();
    }

    /**
     * Caught is a violation of a property that the bug breaks; any other one would be a false alarm in disguise. Of what is
     * only late one alone does not count, because it may be the machine's.
     */
    private static boolean caught(Bug mutant, Options options, Recording recording, PrintStream out)
            throws InterruptedException {
        for (int i = 0; i < SEEDS; i++) {
            Options one = options.withMutant(mutant.word())
                    .withRigs(List.of(mutant.rig()))
                    .withSeed(options.seed() + i)
                    .withStorm(
                            options.storm().plus(Duration.ofSeconds(2L * i)),
                            mutant.inCalm() ? options.storm() : options.gap());
            Verdict verdict = Checker.check(recording.record(one));
            Set<String> seen =
                    verdict.findings().stream().map(Verdict.Violation::property).collect(Collectors.toSet());
            List<Verdict.Violation> wrong = those(mutant, verdict.violations());
            List<Verdict.Violation> late = those(mutant, verdict.late());
            if (!wrong.isEmpty() || late.size() > 1) {
                out.println("caught " + mutant.word() + " on " + mutant.rig() + " by "
                        + (wrong.isEmpty() ? late.get(0) : wrong.get(0)) + " (" + wrong.size() + " wrong, "
                        + late.size()
                        + " late; all: " + seen + ", seed " + one.seed() + ")");
                return true;
            }
            out.println("not yet " + mutant.word() + " seed " + one.seed() + ": " + seen + " grants="
                    + verdict.counted("grants"));
        }
        return false;
    }

    private static List<Verdict.Violation> those(Bug mutant, List<Verdict.Violation> all) {
        return all.stream()
                .filter(each -> mutant.breaks().contains(each.property()))
                .toList();
    }
}
