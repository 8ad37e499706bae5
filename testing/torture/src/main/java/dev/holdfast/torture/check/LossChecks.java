package dev.holdfast.torture.check;

import java.util.List;
import java.util.Set;

/** P8, P10: losses are told in time, and nobody is evicted when nobody evicts. */
record LossChecks(History history, Excuses excuses, Verdict verdict) {
    private static final long BOUND_NANOS = 250_000_000;

    /** No machine is so slow that a callback which is due would not have run by then. */
    private static final long NEVER_NANOS = 5_000_000_000L;

    /** What the network had taken already when it fell silent. */
    private static final long ON_THE_WAY_NANOS = 50_000_000;

    /** Faults in which a worker hears nothing from any server. */
    private static final Set<String> SILENT = Set.of("silent", "deaf", "dumb", "cut-off");

    void run() {
        for (Op op : history.ops.values()) {
            if (op.granted()) {
                told(op);
                afterPause(op);
                inSilence(op);
            }
        }
    }

    /** A lease that says that it is lost has told so, or tells within the bound. */
    private void told(Op op) {
        if (op.toldReason.equals("EVICTED") && excuses.forgotten(op.invoked, op.told)) {
            // The lock was gone with what the servers forgot; only the reason is wrong.
            verdict.count("told_evicted_after_a_lost_memory");
        } else if (op.toldReason.equals("EVICTED")) {
            verdict.violated("P8", op.told, op + " was evicted, and nobody has evicted anything");
        }
        if (op.seenLost == Op.NEVER) {
            return;
        }
        verdict.count("losses_seen");
        long until = Math.min(op.told, history.lastOf(op.process));
        long late = until - op.seenLost;
        boolean released = op.told == Op.NEVER && op.ended - op.seenLost < BOUND_NANOS;
        if (late > BOUND_NANOS + 2 * history.stalled(op.process, op.seenLost, until)
                && !released
                && !pausedIn(op, op.seenLost, until)) {
            tell(op, late);
        }
    }

    private void tell(Op op, long late) {
        if (op.told != Op.NEVER) {
            verdict.late("P10", op.seenLost, op + " was lost, and told " + late / 1_000_000 + " ms later");
        } else if (late > NEVER_NANOS + 4 * history.stalled(op.process, op.seenLost, op.seenLost + late)) {
            verdict.violated("P10", op.seenLost, op + " was lost, and never told");
        } else {
            verdict.late("P10", op.seenLost, op + " was lost, and not told while its process lived");
        }
    }

    private boolean pausedIn(Op op, long from, long to) {
        return pauses(op).stream().anyMatch(pause -> pause.mayTouch(from, to));
    }

    /** While a process stands still nothing is renewed: beyond the lease it must not believe that it holds. */
    private void afterPause(Op op) {
        if (!history.promises("PAUSED_HOLDER_IS_REPLACED")) {
            return;
        }
        for (Interval pause : pauses(op)) {
            boolean beyond = pause.ending() != Op.NEVER && pause.ending() - pause.active() > history.afterlifeNanos();
            if (beyond && op.returned < pause.begun() && op.ended > pause.ending()) {
                verdict.count("pauses_beyond_the_lease");
                if (op.heldUntil > pause.ending()) {
                    verdict.violated(
                            "P10",
                            op.heldUntil,
                            op + " believed to hold after its process stood still for longer than the lease");
                }
            }
        }
    }

    /** While nothing can be heard from the store nothing is renewed either: beyond the lease nobody believes to hold. */
    private void inSilence(Op op) {
        if (!history.promises("PAUSED_HOLDER_IS_REPLACED")) {
            return;
        }
        String network = "net-" + op.process.replaceFirst("-.*", "");
        for (Interval silence : history.faults) {
            long deadline = silence.active() + history.afterlifeNanos() + ON_THE_WAY_NANOS;
            boolean beyond =
                    SILENT.contains(silence.what()) && silence.target().equals(network) && deadline < silence.ending();
            if (beyond && op.returned < silence.begun() && op.ended > deadline) {
                verdict.count("silences_beyond_the_lease");
                if (op.heldUntil > deadline && op.heldUntil < silence.ending()) {
                    verdict.violated(
                            "P10",
                            op.heldUntil,
                            op + " believed to hold when its store had been silent for longer than the lease");
                }
            }
        }
    }

    private List<Interval> pauses(Op op) {
        String worker = op.process.replaceFirst("-.*", "");
        return history.faults.stream()
                .filter(fault ->
                        fault.what().startsWith("paused") && fault.target().equals(worker))
                .toList();
    }
}
