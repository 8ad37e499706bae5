package dev.holdfast.bench.ruler;

import java.util.Collection;
import java.util.List;

/**
 * What a maker's processes achieved together in one round.
 *
 * @param perSecond how often the lock was taken and given back
 * @param longestWaitMillis of any thread
 * @param longestSwitchMillis of any thread that got the lock from another process
 * @param leastServed how often the least served thread had the lock, as a share of the mean
 * @param switchesPerSecond how often the lock went from process to process
 * @param handOverMicros median time to wake a waiter in the other process
 * @param roundTrips commands sent in one renewal period
 */
record Outing(
        double perSecond,
        double longestWaitMillis,
        double longestSwitchMillis,
        double leastServed,
        double switchesPerSecond,
        double handOverMicros,
        double roundTrips) {

    static Outing of(List<Lap> laps) {
        List<Long> served =
                laps.stream().map(Lap::served).flatMap(Collection::stream).toList();
        double mean = served.stream().mapToLong(Long::longValue).average().orElse(0);
        long least = served.stream().mapToLong(Long::longValue).min().orElse(0);
        return new Outing(
                laps.stream().mapToDouble(Lap::perSecond).sum(),
                laps.stream().mapToLong(Lap::longestWaitNanos).max().orElse(0) / 1e6,
                laps.stream().mapToLong(Lap::longestSwitchNanos).max().orElse(0) / 1e6,
                mean == 0 ? 0 : least / mean,
                laps.stream()
                        .mapToDouble(lap -> lap.switches() * 1e9 / lap.nanos())
                        .sum(),
                laps.stream().mapToLong(Lap::handOverNanos).average().orElse(0) / 1e3,
                0);
    }

    static Outing ofRoundTrips(double count) {
        return new Outing(0, 0, 0, 0, 0, 0, count);
    }
}
