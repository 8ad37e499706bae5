package dev.holdfast.bench.ruler;

import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the report says of a maker in one scenario.
 *
 * @param results of all makers
 * @param ours the maker with which the others are compared
 */
record Lines(Results results, Maker ours) {

    String rate(Maker maker) {
        String none = results.of(maker).stream()
                        .anyMatch(outing -> outing.get(Figure.GRANTS).orElse(1.0) == 0)
                ? "  (no grant in some round; one was assumed)"
                : "";
        return results.figure(maker, Figure.PER_SECOND)
                        .map(spread -> String.format("%12s/s", number(spread.median())))
                        .orElse("")
                + median(maker, Figure.REQUESTS_PER_GRANT, "  %6.2f requests each")
                + compared(maker, Figure.PER_SECOND)
                + none;
    }

    String fairness(Maker maker) {
        return worst(maker, Figure.LONGEST_WAIT_MILLIS, "longest wait %,.0f ms")
                + worst(maker, Figure.LONGEST_SWITCH_MILLIS, ", across clients %,.0f ms")
                + results.figure(maker, Figure.LEAST_SERVED)
                        .map(spread -> format(", least served %.2f of the mean", spread.least()))
                        .orElse("")
                + median(maker, Figure.SWITCHES_PER_SECOND, ", %,.0f client switches/s");
    }

    String latency(Maker maker) {
        return results.figure(maker, Figure.LATENCY_MICROS).isEmpty()
                ? "nothing to time in any round"
                : median(maker, Figure.LATENCY_MICROS, "%,9.0f us median") + compared(maker, Figure.LATENCY_MICROS);
    }

    String renewal(Maker maker) {
        return median(maker, Figure.ROUND_TRIPS, "%,8.1f requests")
                + median(maker, Figure.CPU_MILLIS, " and %,.1f ms of the client's processor a renewal period")
                + compared(maker, Figure.ROUND_TRIPS);
    }

    String memory(Maker maker) {
        return median(maker, Figure.BYTES_PER_LEASE, "%,8.0f bytes a lease") + compared(maker, Figure.BYTES_PER_LEASE);
    }

    String recovery(Maker maker) {
        return results.figure(maker, Figure.RECOVERY_LEASES).isEmpty()
                ? "nothing granted within four leases"
                : median(maker, Figure.RECOVERY_LEASES, "%8.2f of the lease")
                        + median(maker, Figure.RECOVERY_MILLIS, " (%,.0f ms)")
                        + compared(maker, Figure.RECOVERY_LEASES);
    }

    String waiting(Maker maker) {
        return median(maker, Figure.REQUESTS_OF_FEW, "%,.1f requests/s with one thread in each,")
                + median(maker, Figure.REQUESTS_OF_MANY, " %,.1f with all");
    }

    String everything(Maker maker) {
        return results.of(maker).stream()
                .flatMap(outing -> outing.figures().entrySet().stream())
                .map(entry -> entry.getKey().word() + " " + number(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    static String range(Spread spread) {
        return "(" + number(spread.least()) + " to " + number(spread.most()) + ")";
    }

    /** The median, and the range unless there was one round only. */
    static String spread(Spread spread) {
        return number(spread.median()) + (spread.least() == spread.most() ? "" : " " + range(spread));
    }

    static String number(double value) {
        double size = Math.abs(value);
        return format(
                size >= 100 || (size >= 10 && value == Math.rint(value))
                        ? "%,.0f"
                        : size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.3f",
                value);
    }

    private String compared(Maker maker, Figure figure) {
        return ours == maker
                ? ""
                : results.ratio(ours, maker, figure)
                        .map(spread -> "  ours/theirs " + spread(spread))
                        .orElse("");
    }

    private String median(Maker maker, Figure figure, String format) {
        return results.figure(maker, figure)
                .map(spread -> format(format, spread.median()))
                .orElse("");
    }

    private String worst(Maker maker, Figure figure, String format) {
        return results.figure(maker, figure)
                .map(spread -> format(format, spread.most()))
                .orElse("");
    }

    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
