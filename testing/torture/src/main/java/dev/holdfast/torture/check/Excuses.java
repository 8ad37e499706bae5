package dev.holdfast.torture.check;

import java.util.List;

/**
 * What the store's own guarantees leave open. A fault by which servers forget is an excuse only if the store does not
 * promise {@code SURVIVES_RESTART}, and only from its beginning until every lease that was given before has ended.
 */
final class Excuses {
    private final List<Interval> losses;
    private final long reach;

    Excuses(History history) {
        boolean survives = history.promises("SURVIVES_RESTART");
        losses = history.faults.stream()
                .filter(fault -> !fault.loses().equals("NOTHING") && !survives)
                .toList();
        reach = 2 * history.leaseNanos() + history.timeoutNanos();
    }

    /** Whether servers may have forgotten grants that two moments rest on. */
    boolean forgotten(long from, long to) {
        return losses.stream()
                .anyMatch(fault -> fault.begun() <= to && (fault.over() == Op.NEVER || fault.over() + reach >= from));
    }
}
