package dev.holdfast.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Ours against a yardstick, in rounds that take turns so that noise hits both.
 *
 * @param scenario what is measured
 * @param target the least ratio of ours to the yardstick that is asked for
 */
record Comparison(String scenario, String yardstick, double target) {

    /** Runs the rounds (the first does not count) and prints one row; returns whether the target is met. */
    boolean run(Race race, Contestant ours, Contestant theirs, int rounds, PrintStream out)
            throws InterruptedException {
        List<Double> oursPerSecond = new ArrayList<>();
        List<Double> theirsPerSecond = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            System.err.printf("\r%-28s round %d of %d ", scenario, round, rounds);
            double their = race.run(theirs);
            double our = race.run(ours);
            if (round > 0) {
                oursPerSecond.add(our);
                theirsPerSecond.add(their);
                ratios.add(our / their);
            }
        }
        System.err.print("\r");
        double ratio = median(ratios);
        out.printf(
                Locale.ROOT,
                "%-28s %,12.0f %,12.0f  %-22s %7.3f  (%.3f to %.3f)  target %.3f  %s%n",
                scenario,
                median(oursPerSecond),
                median(theirsPerSecond),
                yardstick,
                ratio,
                ratios.stream().min(Double::compare).orElseThrow(),
                ratios.stream().max(Double::compare).orElseThrow(),
                target,
                ratio >= target ? "met" : "NOT MET");
        return ratio >= target;
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
