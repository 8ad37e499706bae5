package dev.holdfast.torture.mutants;

import dev.holdfast.torture.Options;
import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Verdict;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Sees whether the checker catches every seeded bug. */
public final class Hunt {
    private static final int SEEDS = 4;

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
        List<Mutant> all =
                options.mutant().isEmpty() ? List.of(Mutant.values()) : List.of(Mutant.named(options.mutant()));
        List<String> escaped = new ArrayList<>();
        for (Mutant mutant : all) {
            if (!caught(mutant, options, recording, out)) {
                escaped.add(mutant.word());
                out.println("ESCAPED " + mutant.word());
            }
        }
        out.println("mutants=" + all.size() + " caught=" + (all.size() - escaped.size()) + " escaped=" + escaped);
        return escaped.isEmpty();
    }

    /** Caught is a violation of a property that the bug breaks; any other one would be a false alarm in disguise. */
    private static boolean caught(Mutant mutant, Options options, Recording recording, PrintStream out)
            throws InterruptedException {
        for (int i = 0; i < SEEDS; i++) {
            Options one = options.withMutant(mutant.word())
                    .withSeed(options.seed() + i)
                    .withStorm(
                            options.storm().plus(Duration.ofSeconds(2L * i)),
                            mutant.showsInCalm() ? options.storm() : options.gap());
            Verdict verdict = Checker.check(recording.record(one));
            Set<String> seen =
                    verdict.findings().stream().map(Verdict.Violation::property).collect(Collectors.toSet());
            for (Verdict.Violation violation : verdict.findings()) {
                if (mutant.breaks().contains(violation.property())) {
                    out.println("caught " + mutant.word() + " by " + violation + " (all: " + seen + ", seed "
                            + one.seed() + ")");
                    return true;
                }
            }
            out.println("not yet " + mutant.word() + " seed " + one.seed() + ": " + seen + " grants="
                    + verdict.counted("grants"));
        }
        return false;
    }
}
