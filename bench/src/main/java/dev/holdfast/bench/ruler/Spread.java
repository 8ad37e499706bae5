package dev.holdfast.bench.ruler;

import java.util.List;
import java.util.Optional;

/**
 * A figure over several rounds.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param least the smallest
 * @param most the largest
 */
record Spread(double median, double least, double most) {

    /** The spread of the ratios the other way round. */
    Spread inverse() {
        return new Spread(1 / median, 1 / most, 1 / least);
    }

    static Optional<Spread> of(List<Double> values) {
        if (values.isEmpty()) {
            return Optional.empty();
        }
        List<Double> sorted = values.stream().sorted().toList();
        int size = sorted.size();
        double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
        return Optional.of(new Spread(median, sorted.get(0), sorted.get(size - 1)));
    }
}
