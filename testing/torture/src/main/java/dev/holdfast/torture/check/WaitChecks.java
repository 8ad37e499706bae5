package dev.holdfast.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * P11, P12 (by {@link FreeLocks}) and P13: nobody waits beside a free lock, a dead holder is replaced in time, and nobody is
 * passed over again and again. All three are seen by times, so what they find is late, not wrong: how long a claim was on its way to the
 * server nobody has measured.
 */
record WaitChecks(History history, Excuses excuses, Verdict verdict) {
    private static final long WAKE_UP_NANOS = 1_000_000_000;
    private static final long IN_LINE_NANOS = 100_000_000;
    private static final long STARVED_NANOS = 500_000_000;

    /** A client may have been in line before; what it asks for later is behind the waiter. One more for luck. */
    private static final int TURNS = 2;

    void run() {
        ExclusionChecks.byName(history).forEach((name, ops) -> {
            if (history.promises("FAIR")) {
                fair(name, ops);
            }
        });
        new FreeLocks(history, verdict).run();
        replaced();
    }

    /** P13: while one client waits all the time, another one is not granted again and again by the store. */
    private void fair(String name, List<Op> ops) {
        List<Op> granted = ops.stream()
                .filter(op -> op.granted() && op.exclusive() && op.names.size() == 1 && op.ofTheStore(name))
                .sorted(Comparator.comparingLong(op -> op.returned))
                .toList();
        for (Op waiter : ops) {
            if (!waiter.exclusive()
                    || waiter.names.size() > 1
                    || waiter.outcome.isEmpty()
                    || waiter.outcome.equals("unknown")) {
                continue;
            }
            List<Op> others = new ArrayList<>();
            // By then its claim has reached the store, however busy the machine was.
            long inLine = waiter.invoked
                    + IN_LINE_NANOS
                    + 2 * history.stalled(waiter.process, waiter.invoked, waiter.invoked + IN_LINE_NANOS);
            for (Op op : granted) {
                boolean during = op.invoked > inLine && op.returned < waiter.returned;
                if (during && op.client.equals(waiter.client)) {
                    others.clear();
                } else if (during) {
                    others.add(op);
                }
                passed(name, waiter, others, op);
            }
        }
    }

    private void passed(String name, Op waiter, List<Op> others, Op latest) {
        long most =
                others.stream().filter(op -> op.client.equals(latest.client)).count();
        if (most > TURNS
                && history.answering(waiter.process, waiter.invoked - history.leaseNanos(), latest.returned)
                && history.stalled(waiter.process, waiter.invoked, latest.returned) < STARVED_NANOS) {
            verdict.late(
                    "P13",
                    latest.returned,
                    "'" + name + "': " + latest.client + " was granted " + most + " times while " + waiter + " waited");
            others.clear();
        }
    }

    /** P11: measured always; a violation only if nothing else explains the delay. */
    private void replaced() {
        List<Long> times = new ArrayList<>();
        for (Interval kill : history.faults) {
            if (!kill.what().equals("killed") || !kill.target().startsWith("w")) {
                continue;
            }
            for (Op dead : history.ops.values()) {
                boolean held = dead.granted()
                        && dead.ended == Op.NEVER
                        && dead.returned < kill.begun()
                        && dead.process.replaceFirst("-.*", "").equals(kill.target())
                        && dead.exclusive();
                if (held) {
                    dead.names.forEach(name -> next(name, dead, kill, times));
                }
            }
        }
        times.sort(Comparator.naturalOrder());
        if (!times.isEmpty()) {
            verdict.count("dead_holders_replaced", times.size());
            verdict.measure(
                    "dead_holder_replaced_ms_median_max",
                    times.get(times.size() / 2) / 1_000_000 + "/" + times.get(times.size() - 1) / 1_000_000);
            verdict.measure(
                    "dead_holder_replaced_ms_p99", Long.toString(times.get((times.size() * 99 - 1) / 100) / 1_000_000));
        }
    }

    private void next(String name, Op dead, Interval kill, List<Long> times) {
        boolean awaited = history.ops.values().stream()
                .anyMatch(op -> op.names.contains(name) && op.invoked < kill.begun() && op.returned > kill.over());
        history.ops.values().stream()
                .filter(op -> awaited && op.granted() && op.names.contains(name) && op.token(name) > dead.token(name))
                .mapToLong(op -> op.returned)
                .filter(at -> at > kill.active())
                .min()
                .ifPresent(at -> {
                    long took = at - kill.active();
                    times.add(took);
                    long bound = history.afterlifeNanos()
                            + WAKE_UP_NANOS
                            + 2 * history.stalled("coordinator", kill.begun(), at);
                    boolean onlyThis = history.faults.stream()
                            .filter(fault -> !fault.equals(kill))
                            .noneMatch(fault -> fault.mayTouch(kill.begun() - history.leaseNanos(), at));
                    if (took > bound && onlyThis && !excuses.forgotten(kill.begun(), at)) {
                        verdict.late(
                                "P11",
                                at,
                                "'" + name + "' of the dead " + dead + " was granted again after " + took / 1_000_000
                                        + " ms");
                    }
                });
    }
}
