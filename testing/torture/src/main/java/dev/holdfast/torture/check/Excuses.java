package dev.holdfast.torture.check;

import java.util.List;

/**
 * What the store's own guarantees leave open. A fault by which servers forget is an excuse only if the store does not
 * promise {@code SURVIVES_RESTART}, and only from its beginning until every lease that was given before has ended.
 */
final class Excuses {
    private final List<Interval> losses;
    private final List<Interval> replacements;
    private final long reach;

    Excuses(History history) {
        boolean survives = history.promises("SURVIVES_RESTART");
        losses = history.faults.stream()
                .filter(fault -> !fault.loses().equals("NOTHING") && !survives)
                .toList();
        replacements = losses.stream()
                .filter(fault -> fault.loses().equals("FAILOVER"))
                .toList();
        reach = 2 * history.leaseNanos() + history.timeoutNanos();
    }

    /** Whether servers may have forgotten grants that two moments rest on. */
    boolean forgotten(long from, long to) {
        return touches(losses, from, to);
    }

    /** Whether an old and a new server may have served one name side by side. */
    boolean replaced(long from, long to) {
        return touches(replacements, from, to);
    }

    private boolean touches(List<Interval> faults, long from, long to) {
        return faults.stream()
                .anyMatch(fault -> fault.begun() <= to && (fault.over() == Op.NEVER || fault.over() + reach >= from));
    }
}
