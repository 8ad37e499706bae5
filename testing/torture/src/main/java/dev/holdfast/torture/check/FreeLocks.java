package dev.holdfast.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * P12: nobody waits for long beside a lock that is free. A claim over several names stands in the lines of all of them, and
 * what is behind it waits although its own name is free; so names that such claims tie together are looked at together. They
 * are free while nobody can have held one of them: no holder, no call with an unknown outcome, no killed process within its
 * lease.
 */
record FreeLocks(History history, Verdict verdict) {
    private static final long WAKE_UP_NANOS = 1_000_000_000;

    /** Before the return of a call and after one that gave up: what the store may have known before its client. */
    private static final long NEAR_NANOS = 500_000_000;

    /** A time. */
    private record Span(long from, long to) {
        boolean touches(long begin, long end) {
            return from <= end && to >= begin;
        }
    }

    void run() {
        for (Op waiter : history.ops.values()) {
            if (!waiter.outcome.isEmpty() && waiter.took > WAKE_UP_NANOS) {
                beside(waiter);
            }
        }
    }

    private void beside(Op waiter) {
        Set<String> names = tied(waiter);
        List<Op> there = history.ops.values().stream()
                .filter(op -> op.invoked < waiter.returned && until(op) > waiter.invoked)
                .filter(op -> op.names.stream().anyMatch(names::contains))
                .toList();
        List<Span> taken = new ArrayList<>();
        there.stream()
                .filter(op -> !op.id.equals(waiter.id) && !isLeft(op))
                .forEach(op -> taken.add(new Span(from(op), until(op))));
        taken.addAll(disturbed(waiter, there));
        taken.sort(Comparator.comparingLong(Span::from));
        long free = waiter.invoked;
        for (Span span : taken) {
            gap(waiter, names, free, Math.min(span.from(), waiter.returned));
            free = Math.max(free, span.to());
        }
        gap(waiter, names, free, waiter.returned);
    }

    private void gap(Op waiter, Set<String> names, long from, long to) {
        if (to - from > WAKE_UP_NANOS && to - from > WAKE_UP_NANOS + 2 * history.stalled(waiter.process, from, to)) {
            verdict.late(
                    "P12", from, names + " free for " + (to - from) / 1_000_000 + " ms while " + waiter + " waited");
        }
    }

    /** The names of a waiter, and those that claims over several names tie to them while it waits. */
    private Set<String> tied(Op waiter) {
        Set<String> names = new TreeSet<>(waiter.names);
        List<Op> ties = history.ops.values().stream()
                .filter(op -> op.names.size() > 1 && op.took > NEAR_NANOS)
                .filter(op -> op.invoked < waiter.returned && op.returned > waiter.invoked)
                .toList();
        int before;
        do {
            before = names.size();
            ties.stream()
                    .filter(op -> op.names.stream().anyMatch(names::contains))
                    .forEach(op -> names.addAll(op.names));
        } while (names.size() > before);
        return names;
    }

    /** A holder is one from its return on, or shortly before; of the others nobody knows when they were granted. */
    private static long from(Op op) {
        return op.granted() ? Math.max(op.invoked, op.returned - NEAR_NANOS) : op.invoked;
    }

    /** Whoever gave up without a lock was in nobody's way, but for those whose network failed, see {@link #disturbed}. */
    private static boolean isLeft(Op op) {
        return op.outcome.equals("none") || op.outcome.equals("cancelled") || op.outcome.equals("interrupted");
    }

    /** When the store certainly had the lock back, as far as its holder can tell. */
    private long until(Op op) {
        long leaseOver = history.afterlifeNanos() + history.timeoutNanos();
        if (op.outcome.isEmpty() || (op.granted() && op.ended == Op.NEVER)) {
            // A process that died may have renewed until then.
            return history.lastOf(op.process) + leaseOver;
        }
        if (op.granted()) {
            boolean lost = op.how.equals("lost") || op.seenLost != Op.NEVER || op.told != Op.NEVER;
            // A release that nobody waits for, or that was not answered, is repeated in the background until the lease
            // ends.
            return op.ended + (lost || op.how.equals("async") ? history.afterlifeNanos() : 0);
        }
        return Math.min(op.returned, history.last) + (isLeft(op) ? NEAR_NANOS : leaseOver);
    }

    /**
     * When something was wrong with the servers, with the waiter, or with somebody else who was there. For a lease after it the
     * store may not know what its clients know. How long a killed one is in the way is counted already.
     */
    private List<Span> disturbed(Op waiter, List<Op> there) {
        List<Span> spans = new ArrayList<>();
        for (Interval fault : history.faults) {
            Span span = new Span(fault.begun(), after(fault.over()));
            boolean killed = fault.isOfAWorker() && fault.what().equals("killed");
            if (killed || !span.touches(waiter.invoked, waiter.returned)) {
                continue;
            }
            boolean everybody = !fault.isOfAWorker() || fault.isOf(waiter.process);
            if (everybody
                    || there.stream()
                            .anyMatch(op -> fault.isOf(op.process)
                                    && new Span(op.invoked, until(op)).touches(span.from(), span.to()))) {
                spans.add(span);
            }
        }
        return spans;
    }

    private long after(long nanos) {
        return nanos == Op.NEVER ? nanos : nanos + history.afterlifeNanos() + history.timeoutNanos();
    }
}
