package dev.holdfast.bench.ruler;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What one process has counted in one round.
 *
 * @param nanos for how long it counted
 * @param served how often each thread had the lock
 * @param entries how often the lock was taken in all, also before and after counting
 * @param switches how often the lock came from another process
 * @param longestWaitNanos also of a wait that had not ended yet
 * @param longestSwitchNanos the longest wait for a lock that came from another process
 * @param latencyNanos the median of what the scenario times; 0 if it times nothing
 */
record Lap(
        long nanos,
        List<Long> served,
        long entries,
        long switches,
        long longestWaitNanos,
        long longestSwitchNanos,
        long latencyNanos) {

    double perSecond() {
        return served.stream().mapToLong(Long::longValue).sum() * 1e9 / nanos;
    }

    /** One line, for the pipe to the parent. */
    String line() {
        String numbers = LongStream.of(nanos, entries, switches, longestWaitNanos, longestSwitchNanos, latencyNanos)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "));
        return numbers + " " + served.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    static Lap parse(String line) {
        List<String> words = List.of(line.split(" ", -1));
        long[] numbers = words.subList(0, 6).stream().mapToLong(Long::parseLong).toArray();
        List<Long> served =
                Arrays.stream(words.get(6).split(",", -1)).map(Long::valueOf).toList();
        return new Lap(numbers[0], served, numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    }
}
