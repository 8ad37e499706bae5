package dev.holdfast.bench.ruler;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a maker's processes achieved together in one round.
 *
 * @param figures what was measured, in the order of the constants
 */
record Outing(Map<Figure, Double> figures) {

    /** Copies the map. */
    Outing {
        Map<Figure, Double> ordered = new EnumMap<>(Figure.class);
        ordered.putAll(figures);
        figures = Collections.unmodifiableMap(ordered);
    }

    static Outing of(List<Lap> laps) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        List<Long> served =
                laps.stream().map(Lap::served).flatMap(Collection::stream).toList();
        long grants = served.stream().mapToLong(Long::longValue).sum();
        long least = served.stream().mapToLong(Long::longValue).min().orElse(0);
        figures.put(Figure.GRANTS, (double) grants);
        figures.put(
                Figure.ENTRIES, (double) laps.stream().mapToLong(Lap::entries).sum());
        figures.put(
                Figure.PER_SECOND,
                grants > 0 ? laps.stream().mapToDouble(Lap::perSecond).sum() : 1e9 / longest(laps));
        figures.put(Figure.LEAST_SERVED, grants > 0 ? least * (double) served.size() / grants : 0);
        figures.put(
                Figure.LONGEST_WAIT_MILLIS,
                laps.stream().mapToLong(Lap::longestWaitNanos).max().orElse(0) / 1e6);
        figures.put(
                Figure.LONGEST_SWITCH_MILLIS,
                laps.stream().mapToLong(Lap::longestSwitchNanos).max().orElse(0) / 1e6);
        figures.put(
                Figure.SWITCHES_PER_SECOND,
                laps.stream()
                        .mapToDouble(lap -> lap.switches() * 1e9 / lap.nanos())
                        .sum());
        laps.stream()
                .mapToLong(Lap::latencyNanos)
                .filter(nanos -> nanos > 0)
                .average()
                .ifPresent(nanos -> figures.put(Figure.LATENCY_MICROS, nanos / 1e3));
        return new Outing(figures);
    }

    Optional<Double> get(Figure figure) {
        return Optional.ofNullable(figures.get(figure));
    }

    /** Adds how often the server was asked meanwhile. */
    Outing withRequests(long count) {
        Map<Figure, Double> more = new EnumMap<>(figures);
        get(Figure.ENTRIES)
                .filter(entries -> entries > 0)
                .ifPresent(entries -> more.put(Figure.REQUESTS_PER_GRANT, count / entries));
        return new Outing(more);
    }

    /** One line, for the pipe to the parent. */
    String line() {
        return figures.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    static Outing parse(String line) {
        return new Outing(Arrays.stream(line.split(" ", -1))
                .map(word -> word.split("=", 2))
                .collect(Collectors.toMap(pair -> Figure.valueOf(pair[0]), pair -> Double.valueOf(pair[1]))));
    }

    private static long longest(List<Lap> laps) {
        return laps.stream().mapToLong(Lap::nanos).max().orElse(1);
    }
}
