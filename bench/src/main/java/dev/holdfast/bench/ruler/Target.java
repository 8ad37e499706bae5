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
                results -> results.ratio(ours, theirs, Outing::perSecond)
                        .map(spread -> new Measured(spread.median(), spread)));
    }

    static Target quickerThan(Maker ours, Maker theirs, double share) {
        return new Target(
                "of the time of " + theirs.title(),
                false,
                share,
                results -> results.ratio(ours, theirs, Outing::handOverMicros)
                        .map(spread -> new Measured(spread.median(), spread)));
    }

    /** The worst of all rounds counts. */
    static Target nobodyWaitsLongerThan(Maker ours, double millis) {
        return new Target(
                "ms longest wait",
                false,
                millis,
                results -> results.figure(ours, Outing::longestWaitMillis)
                        .map(spread -> new Measured(spread.most(), spread)));
    }

    /** The worst of all rounds counts. */
    static Target leastServedHas(Maker ours, double share) {
        return new Target(
                "of the mean for the least served",
                true,
                share,
                results ->
                        results.figure(ours, Outing::leastServed).map(spread -> new Measured(spread.least(), spread)));
    }

    static Target roundTrips(Maker ours, double most) {
        return new Target(
                "round trips a renewal period",
                false,
                most,
                results -> results.figure(ours, Outing::roundTrips).map(spread -> new Measured(spread.most(), spread)));
    }

    boolean isMet(Results results) {
        return figure.apply(results)
                .filter(measured -> atLeast ? measured.value() >= bound : measured.value() <= bound)
                .isPresent();
    }
}
