package dev.holdfast.bench.ruler;

import java.util.Optional;
import java.util.function.Function;

/**
 * Something that is asked of Holdfast.
 *
 * @param what for people
 * @param atLeast whether the bound is the least or the most
 * @param bound the figure that is asked for
 * @param figure what was measured; empty if it was not
 */
record Target(String what, boolean atLeast, double bound, Function<Results, Optional<Measured>> figure) {

    /** A figure, and where it comes from. */
    record Measured(double value, Spread spread) {}

    static Target fasterThan(Maker ours, Maker theirs, double times) {
        return new Target(
                "times " + theirs.title(),
                true,
                times,
                results -> results.ratio(ours, theirs, Figure.PER_SECOND).map(Target::median));
    }

    static Target quickerThan(Maker ours, Maker theirs, double share) {
        return new Target(
                "of the time of " + theirs.title(),
                false,
                share,
                results -> results.ratio(ours, theirs, Figure.HAND_OVER_MICROS).map(Target::median));
    }

    /** The worst of all rounds counts. */
    static Target atMost(Maker ours, Figure figure, double bound, String what) {
        return new Target(
                what,
                false,
                bound,
                results -> results.figure(ours, figure).map(spread -> new Measured(spread.most(), spread)));
    }

    /** The worst of all rounds counts. */
    static Target atLeast(Maker ours, Figure figure, double bound, String what) {
        return new Target(
                what,
                true,
                bound,
                results -> results.figure(ours, figure).map(spread -> new Measured(spread.least(), spread)));
    }

    /** Counting has an error of about a request a second; if every thread asked for itself, there would be hundreds. */
    static Target manyWaitersAskNoMoreThanFew(Maker ours) {
        return new Target(
                "more requests a second than 2 waiting threads (the error of counting)",
                false,
                1,
                results -> results.excess(ours, Figure.REQUESTS_OF_MANY, Figure.REQUESTS_OF_FEW)
                        .map(Target::median));
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
