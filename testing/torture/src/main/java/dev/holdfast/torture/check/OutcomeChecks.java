package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** P16, P17 and P19: what callers are told, how long that takes, and that everybody works again when an outage is over. */
record OutcomeChecks(History history, Verdict verdict) {
    private static final long MARGIN_NANOS = 250_000_000;
    private static final long RECOVERY_NANOS = 5_000_000_000L;

    void run() {
        for (Op op : history.ops.values()) {
            if (!op.outcome.isEmpty()) {
                truth(op);
                budget(op);
            }
        }
        recovery();
        answersAfterFaults();
    }

    private void truth(Op op) {
        if (op.outcome.equals("error")) {
            verdict.violated("P2", op.returned, op + " ended with " + op.detail);
        }
        if (!op.outcome.equals("unknown")) {
            return;
        }
        verdict.count("outcomes_unknown");
        long before = RECOVERY_NANOS + (history.sessions() ? history.afterlifeNanos() : 0);
        boolean stalled = history.stalled(op.process, op.invoked - history.timeoutNanos(), op.returned)
                > history.timeoutNanos() / 2;
        if (history.answering(op.process, op.invoked - before, op.returned) && !stalled) {
            unknown(op);
        }
    }

    /** Whoever gives up before the command timeout has not waited for an answer, however slow the server is. */
    private void unknown(Op op) {
        if (op.took < history.timeoutNanos() / 2) {
            verdict.violated("P16", op.returned, op + " ended with " + op.detail);
        } else {
            verdict.late("P16", op.returned, op + " ended with " + op.detail);
        }
    }

    private void budget(Op op) {
        if (op.waitMillis < 0 || op.outcome.equals("interrupted")) {
            return;
        }
        long allowed = op.waitMillis * 1_000_000 + history.timeoutNanos() + MARGIN_NANOS;
        long excused = 2 * history.stalled(op.process, op.invoked, op.returned) + paused(op);
        if (op.took > allowed + excused) {
            verdict.late(
                    "P17",
                    op.returned,
                    op + " took " + op.took / 1_000_000 + " ms instead of at most " + allowed / 1_000_000
                            + " ms (stalls and pauses explain " + excused / 1_000_000 + " ms)");
        }
    }

    private long paused(Op op) {
        String worker = op.process.replaceFirst("-.*", "");
        return history.faults.stream()
                .filter(fault -> fault.target().equals(worker)
                        && fault.what().startsWith("paused")
                        && fault.mayTouch(op.invoked, op.returned))
                .mapToLong(fault -> Math.min(op.returned, fault.over()) - Math.max(op.invoked, fault.begun()))
                .sum();
    }

    /** From the end of the last fault on, each worker that lives has to be answered again. */
    private void recovery() {
        long calm = history.phases.getOrDefault("calm", Op.NEVER);
        long end = history.phases.getOrDefault("end", Op.NEVER);
        List<Long> times = new ArrayList<>();
        for (Line line : history.lines) {
            if (line.event().equals("living")) {
                Arrays.stream(line.text("names").split(",", -1)).forEach(name -> recovered(name, calm, end, times));
            }
        }
        if (!times.isEmpty()) {
            verdict.measure(
                    "slowest_recovery_ms",
                    Long.toString(
                            times.stream().mapToLong(Long::longValue).max().getAsLong() / 1_000_000));
        }
    }

    private void recovered(String process, long calm, long end, List<Long> times) {
        long answered = history.ops.values().stream()
                .filter(op -> op.process.equals(process) && (op.outcome.equals("ok") || op.outcome.equals("none")))
                .mapToLong(op -> op.returned)
                .filter(at -> at > calm)
                .min()
                .orElse(Op.NEVER);
        long bound = RECOVERY_NANOS
                + (history.sessions() ? history.afterlifeNanos() : 0)
                + 2 * history.stalled(process, calm, Math.min(end, answered));
        if (answered == Op.NEVER && end - calm > 2 * bound) {
            verdict.violated(
                    "P19",
                    calm,
                    process + " did not work again at all in " + (end - calm) / 1_000_000 + " ms after the last fault");
        } else if (answered == Op.NEVER ? end - calm > bound : answered - calm > bound) {
            verdict.late(
                    "P19",
                    calm,
                    process + " did not work again within " + bound / 1_000_000 + " ms after the last fault");
        } else if (answered != Op.NEVER) {
            times.add(answered - calm);
        }
    }

    /** How long each client took until its next answer, for every fault that was over and was not followed by another one. */
    private void answersAfterFaults() {
        Map<String, List<Long>> answers = new TreeMap<>();
        history.ops.values().stream()
                .filter(op -> op.outcome.equals("ok") || op.outcome.equals("none"))
                .forEach(op -> answers.computeIfAbsent(op.process, each -> new ArrayList<>())
                        .add(op.returned));
        List<Long> times = new ArrayList<>();
        answers.forEach((process, all) -> {
            for (Interval fault : history.faults) {
                all.stream()
                        .filter(at -> at > fault.over())
                        .min(Comparator.naturalOrder())
                        .filter(at -> all.stream().anyMatch(earlier -> earlier < fault.begun())
                                && history.answering(process, fault.over() + 1, at))
                        .ifPresent(at -> times.add(at - fault.over()));
            }
        });
        times.sort(Comparator.naturalOrder());
        if (!times.isEmpty()) {
            verdict.count("answers_after_faults", times.size());
            verdict.measure(
                    "answer_after_fault_ms_p99_max",
                    times.get((times.size() * 99 - 1) / 100) / 1_000_000 + "/"
                            + times.get(times.size() - 1) / 1_000_000);
        }
    }
}
