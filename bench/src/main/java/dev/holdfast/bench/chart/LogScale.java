package dev.holdfast.bench.chart;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Places positive numbers on a line by their logarithms, with whole powers of ten at both ends.
 *
 * @param lowest power of ten
 * @param highest power of ten
 * @param from where the lowest is
 * @param to where the highest is
 */
public record LogScale(int lowest, int highest, double from, double to) {

    /**
     * Makes one that has room for all.
     *
     * @param values all positive
     * @param from where the lowest power of ten is
     * @param to where the highest is
     * @return the scale
     */
    public static LogScale of(Collection<Double> values, double from, double to) {
        double least = values.stream().mapToDouble(Double::doubleValue).min().orElse(1);
        double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(1);
        int lowest = (int) Math.floor(Math.log10(least));
        return new LogScale(lowest, Math.max(lowest + 1, (int) Math.ceil(Math.log10(most))), from, to);
    }

    /**
     * Places a number.
     *
     * @param value positive
     * @return where it is
     */
    public double at(double value) {
        return from + (Math.log10(value) - lowest) * (to - from) / (highest - lowest);
    }

    /** {@return every power of ten} */
    public List<Double> ticks() {
        return IntStream.rangeClosed(lowest, highest)
                .mapToObj(power -> Math.pow(10, power))
                .toList();
    }

    /**
     * Writes a power of ten without more digits than it needs.
     *
     * @param tick the power of ten
     * @return the text
     */
    public static String label(double tick) {
        int digits = Math.max(0, (int) -Math.round(Math.log10(tick)));
        return String.format(Locale.ROOT, "%,." + digits + "f", tick);
    }
}
