package dev.holdfast.torture;

import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Verdict;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Looks for the few faults of a schedule that a finding needs: leaves out halves, then quarters, and so on to single ones,
 * and stays without those without which the same property is still broken. Processes run as they like, so each try is made
 * twice before a fault counts as needed.
 */
final class Shrinking {
    private static final int MOST_RUNS = 30;
    private static final int TRIES = 2;

    /** Makes one run. */
    @FunctionalInterface
    interface Recording {
        Verdict run(Options options) throws InterruptedException;
    }

    private final Options options;
    private final String rig;
    private final boolean wrong;
    private final Set<String> properties;
    private final int faults;
    private final PrintStream out;
    private final Recording recording;
    private int runs;

    Shrinking(Options options, String rig, Verdict failed, PrintStream out) {
        this(options, rig, failed, out, one -> {
            Path file = new Torture(one).record(rig);
            return Checker.check(file);
        });
    }

    Shrinking(Options options, String rig, Verdict failed, PrintStream out, Recording recording) {
        this.options = options;
        this.rig = rig;
        this.wrong = !failed.violations().isEmpty();
        this.properties = properties(failed);
        this.faults = Math.toIntExact(failed.counted("faults"));
        this.out = out;
        this.recording = recording;
    }

    private Set<String> properties(Verdict verdict) {
        return (wrong ? verdict.violations() : verdict.late())
                .stream().map(Verdict.Violation::property).collect(Collectors.toSet());
    }

    /** Shrinks, tells how to run what is left, and returns it. */
    List<Integer> run() throws InterruptedException {
        List<Integer> given = options.faults();
        List<Integer> needed = new ArrayList<>(
                given == null ? IntStream.range(0, faults).boxed().toList() : given);
        for (int size = Math.max(1, needed.size() / 2); size > 0 && runs < MOST_RUNS; size /= 2) {
            for (int from = 0; from < needed.size() && runs < MOST_RUNS; ) {
                List<Integer> fewer = new ArrayList<>(needed);
                fewer.subList(from, Math.min(needed.size(), from + size)).clear();
                if (fails(fewer)) {
                    needed = fewer;
                } else {
                    from += size;
                }
            }
        }
        String word =
                needed.isEmpty() ? "none" : needed.stream().map(String::valueOf).collect(Collectors.joining(","));
        out.println(rig + ": " + needed.size() + " faults are needed for " + properties + ", found in " + runs
                + " runs; again with: " + command(word));
        return needed;
    }

    private boolean fails(List<Integer> fewer) throws InterruptedException {
        for (int i = 0; i < TRIES && runs < MOST_RUNS; i++) {
            runs++;
            Set<String> seen = properties(recording.run(options.withFaults(fewer)));
            out.println(rig + ": with " + fewer + ": " + seen);
            if (seen.stream().anyMatch(properties::contains)) {
                return true;
            }
        }
        return false;
    }

    private String command(String word) {
        return "testing/torture/run --rig " + rig + " --seed " + options.seed() + " --seconds "
                + options.storm().toSeconds() + " --gap " + options.gap().toMillis() + " --lease "
                + options.lease().toMillis() + " --workers " + options.workers() + " --threads " + options.threads()
                + (options.mutant().isEmpty() ? "" : " --mutant " + options.mutant()) + " --faults " + word;
    }
}
