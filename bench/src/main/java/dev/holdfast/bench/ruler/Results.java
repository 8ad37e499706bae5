package dev.holdfast.bench.ruler;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
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

    /** One maker's figure over the rounds. */
    Optional<Spread> figure(Maker maker, ToDoubleFunction<Outing> figure) {
        return Spread.of(of(maker).stream().mapToDouble(figure).boxed().toList());
    }

    /** One maker's figure divided by another's, in each round, since they ran side by side. */
    Optional<Spread> ratio(Maker ours, Maker theirs, ToDoubleFunction<Outing> figure) {
        List<Outing> numerators = of(ours);
        List<Outing> denominators = of(theirs);
        int rounds = Math.min(numerators.size(), denominators.size());
        return Spread.of(IntStream.range(0, rounds)
                .mapToObj(i -> figure.applyAsDouble(numerators.get(i)) / figure.applyAsDouble(denominators.get(i)))
                .toList());
    }
}
