package dev.holdfast.bench.ruler;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;

/** The outings of every maker in one scenario, round by round. Used by one thread. */
final class Results {
    private final Map<Maker, List<Outing>> outings = new EnumMap<>(Maker.class);

    void add(Maker maker, Outing outing) {
        outings.computeIfAbsent(maker, each -> new ArrayList<>()).add(outing);
    }

    List<Maker> makers() {
        return List.copyOf(outings.keySet());
    }

    List<Outing> of(Maker maker) {
        return List.copyOf(outings.getOrDefault(maker, List.of()));
    }

    /** One maker's figure over the rounds in which it was measured. */
    Optional<Spread> figure(Maker maker, Figure figure) {
        return Spread.of(of(maker).stream()
                .flatMap(outing -> outing.get(figure).stream())
                .toList());
    }

    /** One maker's figure divided by another's, in each round, since they ran side by side. */
    Optional<Spread> ratio(Maker ours, Maker theirs, Figure figure) {
        return compared(ours, theirs, figure, (a, b) -> a / b);
    }

    /** By how many microseconds a pair takes one maker longer than another, in each round. */
    Optional<Spread> microsMore(Maker ours, Maker theirs) {
        return compared(ours, theirs, Figure.PER_SECOND, (a, b) -> 1e6 / a - 1e6 / b);
    }

    private Optional<Spread> compared(Maker ours, Maker theirs, Figure figure, DoubleBinaryOperator operator) {
        List<Outing> one = of(ours);
        List<Outing> other = of(theirs);
        int rounds = Math.min(one.size(), other.size());
        return Spread.of(IntStream.range(0, rounds)
                .mapToObj(i -> both(one.get(i).get(figure), other.get(i).get(figure), operator))
                .flatMap(Optional::stream)
                .toList());
    }

    /** By how much one figure of a maker exceeds another one, in each round. */
    Optional<Spread> excess(Maker maker, Figure figure, Figure base) {
        return Spread.of(of(maker).stream()
                .flatMap(outing -> both(outing.get(figure), outing.get(base), (a, b) -> a - b).stream())
                .toList());
    }

    private static Optional<Double> both(Optional<Double> one, Optional<Double> other, DoubleBinaryOperator operator) {
        return one.flatMap(a -> other.map(b -> operator.applyAsDouble(a, b))).filter(Double::isFinite);
    }
}
