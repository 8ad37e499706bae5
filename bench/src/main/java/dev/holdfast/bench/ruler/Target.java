package dev.holdfast.bench.ruler;

import java.util.Optional;
import java.util.function.Function;

/**
 * Something that is asked of Holdfast.
 *
 * @param what for people
 * @param atLeast whether the bound is the least or the most
 * @param bound the figure that is asked for
 * @param peer who ours is compared with; empty if with nobody
 * @param figure what was measured; empty if it was not
 */
record Target(
        String what,
        boolean atLeast,
        double bound,
        Optional<Maker> peer,
        Function<Results, Optional<Measured>> figure) {

    /** A figure, and where it comes from. */
    record Measured(double value, Spread spread) {
        String text() {
            return Lines.number(value) + (spread.least() == spread.most() ? "" : " " + Lines.range(spread));
        }
    }

    static Target fasterThan(Maker ours, Maker theirs, double times) {
        return new Target(
                "times " + theirs.title(),
                true,
                times,
                Optional.of(theirs),
                results -> results.ratio(ours, theirs, Figure.PER_SECOND).map(Target::median));
    }

    static Target quickerThan(Maker ours, Maker theirs, double share) {
        return new Target(
                "of the time of " + theirs.title(),
                false,
                share,
                Optional.of(theirs),
                results -> results.ratio(ours, theirs, Figure.LATENCY_MICROS).map(Target::median));
    }

    static Target waitsNoLongerThan(Maker ours, Maker theirs) {
        return new Target(
                "of the longest wait of " + theirs.title(),
                false,
                1,
                Optional.of(theirs),
                results ->
                        results.ratio(ours, theirs, Figure.LONGEST_WAIT_MILLIS).map(Target::median));
    }

    /** What a pair costs more, for one thread. */
    static Target addsAtMost(Maker ours, Maker theirs, double micros) {
        return new Target(
                "microseconds more than " + theirs.title(),
                false,
                micros,
                Optional.of(theirs),
                results -> results.microsMore(ours, theirs).map(Target::median));
    }

    /** The worst of all rounds counts. */
    static Target atMost(Maker ours, Figure figure, double bound, String what) {
        return new Target(
                what,
                false,
                bound,
                Optional.empty(),
                results -> results.figure(ours, figure).map(spread -> new Measured(spread.most(), spread)));
    }

    /** The worst of all rounds counts. */
    static Target atLeast(Maker ours, Figure figure, double bound, String what) {
        return new Target(
                what,
                true,
                bound,
                Optional.empty(),
                results -> results.figure(ours, figure).map(spread -> new Measured(spread.least(), spread)));
    }

    /** Counting has an error of about a request a second; if every thread asked for itself, there would be hundreds. */
    static Target manyWaitersAskNoMoreThanFew(Maker ours) {
        return new Target(
                "more requests a second than 2 waiting threads (the error of counting)",
                false,
                1,
                Optional.empty(),
                results -> results.excess(ours, Figure.REQUESTS_OF_MANY, Figure.REQUESTS_OF_FEW)
                        .map(Target::median));
    }

    /** What is asked, for people. */
    String asked() {
        return (atLeast ? "at least " : "at most ") + Lines.number(bound) + " " + what;
    }

    /** What was measured, for people. */
    String measured(Results results) {
        return figure.apply(results).map(Measured::text).orElse("nothing");
    }

    /** Whether it is met, for people. */
    String verdict(Results results) {
        return figure.apply(results).isEmpty() ? "NOT MEASURED" : isMet(results) ? "met" : "NOT MET";
    }

    boolean isMet(Results results) {
        return figure.apply(results)
                .filter(measured -> atLeast ? measured.value() >= bound : measured.value() <= bound)
                .isPresent();
    }

    private static Measured median(Spread spread) {
        return new Measured(spread.median(), spread);
    }
}
