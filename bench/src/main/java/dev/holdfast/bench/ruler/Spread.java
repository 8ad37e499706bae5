package dev.holdfast.bench.ruler;

import java.util.List;
import java.util.Optional;

/**
 * A figure over several rounds.
 *
 * @param median the middle one
 * @param least the smallest
 * @param most the largest
 */
record Spread(double median, double least, double most) {

    static Optional<Spread> of(List<Double> values) {
        if (values.isEmpty()) {
            return Optional.empty();
        }
        List<Double> sorted = values.stream().sorted().toList();
        return Optional.of(new Spread(sorted.get(sorted.size() / 2), sorted.get(0), sorted.get(sorted.size() - 1)));
    }
}
