package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Relates each process's clock to the referee's. Every exchange bounds the difference: the referee read its clock between
 * the sending and the receipt. All exchanges together leave some microseconds; checks use the side that cannot accuse
 * wrongly.
 */
final class Clocks {
    /** Referee minus process: from, to. */
    private final Map<String, long[]> bounds = new HashMap<>();

    Clocks(List<Line> lines) {
        for (Line line : lines) {
            if (line.event().equals("clock")) {
                long between = line.number("between");
                long[] known =
                        bounds.computeIfAbsent(line.text("p"), process -> new long[] {Long.MIN_VALUE, Long.MAX_VALUE});
                known[0] = Math.max(known[0], between - line.number("n"));
                known[1] = Math.min(known[1], between - line.number("sent"));
            }
        }
    }

    /** The earliest that it can have been by the referee's clock. */
    long earliest(String process, long nanos) {
        long[] known = known(process);
        return nanos + Math.min(known[0], known[1]);
    }

    /** The latest that it can have been by the referee's clock. */
    long latest(String process, long nanos) {
        long[] known = known(process);
        return nanos + Math.max(known[0], known[1]);
    }

    private long[] known(String process) {
        long[] known = bounds.get(process);
        if (known == null) {
            throw new IllegalArgumentException("the clock of " + process + " was never compared with the referee's");
        }
        return known;
    }

    /** {@return the widest uncertainty of all processes} */
    long uncertainty() {
        return bounds.values().stream()
                .mapToLong(known -> Math.abs(known[1] - known[0]))
                .max()
                .orElse(0);
    }
}
