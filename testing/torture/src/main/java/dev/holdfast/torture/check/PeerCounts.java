package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts what another library's locks did under faults. Nothing is called a violation: what each library promises is its
 * own matter. A holder relies on its lock from the return of the call to the last moment at which the library, asked, said that
 * it is held; where it cannot be asked, to the moment at which the holder would have asked.
 */
public final class PeerCounts {
    private static final long RECOVERY_NANOS = 5_000_000_000L;
    private static final long MARGIN_NANOS = 1_000_000_000L;

    private final History history;
    private final Verdict verdict = new Verdict();

    private PeerCounts(History history) {
        this.history = history;
    }

    /**
     * Counts.
     *
     * @param file the history
     * @return the counts
     */
    public static Verdict of(Path file) {
        PeerCounts counts = new PeerCounts(History.read(file));
        counts.run();
        return counts.verdict;
    }

    private void run() {
        List<String> all = List.of(
                "grants",
                "attempts",
                "faults",
                "lost_updates_without_locks",
                "lost_updates_unasked",
                "lost_updates_asked",
                "overlaps",
                "replaced_and_told",
                "replaced_and_not_told",
                "tokens_not_larger",
                "cannot_tell",
                "beyond_wait_and_1s",
                "waits_never_ended",
                "locks_left_behind",
                "not_working_after_5s",
                "rig_trouble");
        all.forEach(each -> verdict.count(each, 0));
        verdict.count("faults", history.faults.size());
        verdict.count("attempts", history.ops.size());
        for (Op op : history.ops.values()) {
            verdict.count("grants", op.granted() ? 1 : 0);
            verdict.count("cannot_tell", op.outcome.equals("unknown") ? 1 : 0);
            verdict.count("beyond_wait_and_1s", isTooLong(op) ? 1 : 0);
        }
        history.lines.forEach(this::count);
        ExclusionChecks.byName(history).values().forEach(this::sideBySide);
    }

    private void count(Line line) {
        switch (line.event()) {
            case "write" -> {
                if (line.is("lost")) {
                    verdict.count(
                            line.is("control")
                                    ? "lost_updates_without_locks"
                                    : line.is("blind") ? "lost_updates_unasked" : "lost_updates_asked");
                }
            }
            case "stuck" -> verdict.count("waits_never_ended");
            case "peerLeft" -> verdict.count("locks_left_behind", line.number("count"));
            case "faultFailed", "workerFailed" -> verdict.count("rig_trouble");
            case "living" -> {
                for (String process : line.text("names").split(",", -1)) {
                    verdict.count("not_working_after_5s", works(process) ? 0 : 1);
                }
            }
            default -> {
                // Looked at elsewhere.
            }
        }
    }

    private boolean isTooLong(Op op) {
        long excused = 2 * history.stalled(op.process, op.invoked, op.returned) + pausedIn(op);
        return !op.outcome.isEmpty()
                && !op.outcome.equals("interrupted")
                && op.took > op.waitMillis * 1_000_000 + MARGIN_NANOS + excused;
    }

    private long pausedIn(Op op) {
        String worker = op.process.replaceFirst("-.*", "");
        return history.faults.stream()
                .filter(fault -> fault.target().equals(worker) && fault.mayTouch(op.invoked, op.returned))
                .mapToLong(fault -> Math.min(op.returned, fault.over()) - Math.max(op.invoked, fault.begun()))
                .sum();
    }

    private boolean works(String process) {
        long calm = history.phases.getOrDefault("calm", Op.NEVER);
        long stalled = 2 * history.stalled(process, calm, calm + RECOVERY_NANOS);
        return history.ops.values().stream()
                .filter(op -> op.process.equals(process) && (op.granted() || op.outcome.equals("none")))
                .anyMatch(op -> op.returned > calm && op.returned < calm + RECOVERY_NANOS + stalled);
    }

    private void sideBySide(List<Op> ops) {
        List<Op> granted = ops.stream()
                .filter(Op::granted)
                .sorted(Comparator.comparingLong(op -> op.returned))
                .toList();
        Set<Long> tokens = new HashSet<>();
        Map<Op, Boolean> replaced = new HashMap<>();
        Set<Op> overlapping = new HashSet<>();
        List<Op> now = new ArrayList<>();
        long largest = -1;
        for (Op op : granted) {
            now.removeIf(other -> other.ended <= op.invoked);
            for (Op other : now) {
                if (op.surelyHeld() && other.heldUntil > op.returned) {
                    overlapping.add(other);
                }
                // Its lock was granted to somebody else before it gave it back; a killed holder cannot be told.
                if (other.releaseBegun > op.returned && other.ended != Op.NEVER) {
                    replaced.put(other, other.seenLost != Op.NEVER || other.how.equals("lost"));
                }
            }
            long token = op.tokens.values().iterator().next();
            if (token >= 0
                    && (!tokens.add(token) || (token < largest && op.invoked > lastReturned(granted, largest)))) {
                verdict.count("tokens_not_larger");
            }
            largest = Math.max(largest, token);
            now.add(op);
        }
        verdict.count("overlaps", overlapping.size());
        replaced.values().forEach(told -> verdict.count(told ? "replaced_and_told" : "replaced_and_not_told"));
    }

    private static long lastReturned(List<Op> granted, long token) {
        return granted.stream()
                .filter(op -> op.tokens.containsValue(token))
                .mapToLong(op -> op.returned)
                .findFirst()
                .orElse(Op.NEVER);
    }
}
