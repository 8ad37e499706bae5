package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.nio.file.Path;

/** Judges a recorded history by the properties of docs/properties.md. */
public final class Checker {
    private Checker() {}

    /**
     * Judges a history.
     *
     * @param file as the referee wrote it
     * @return what it shows
     */
    public static Verdict check(Path file) {
        History history = History.read(file);
        Verdict verdict = new Verdict();
        count(history, verdict);
        Excuses excuses = new Excuses(history);
        new RegisterChecks(history, verdict).run();
        new ExclusionChecks(history, excuses, verdict).run();
        new TokenChecks(history, excuses, verdict).run();
        new LossChecks(history, excuses, verdict).run();
        new WaitChecks(history, excuses, verdict).run();
        new OutcomeChecks(history, verdict).run();
        new EndChecks(history, verdict).run();
        return verdict;
    }

    private static void count(History history, Verdict verdict) {
        verdict.count("histories");
        verdict.count(
                "grants", history.ops.values().stream().filter(Op::granted).count());
        verdict.count("attempts", history.ops.size());
        verdict.count("faults", history.faults.size());
        for (Line line : history.lines) {
            switch (line.event()) {
                case "stale" -> verdict.count("refused_by_guard");
                case "staged" -> verdict.count("controls_staged");
                case "told" -> verdict.count("losses_told");
                case "faultFailed", "workerFailed" -> verdict.count("rig_trouble");
                default -> {
                    // Counted elsewhere.
                }
            }
        }
        verdict.measure("clock_uncertainty_us", Long.toString(history.clocks.uncertainty() / 1_000));
        verdict.measure("longest_stall_ms", Long.toString(longestStall(history)));
    }

    private static long longestStall(History history) {
        return history.stalls.stream()
                        .filter(stall -> stall.target().equals("coordinator"))
                        .mapToLong(stall -> stall.over() - stall.begun())
                        .max()
                        .orElse(0)
                / 1_000_000;
    }
}
