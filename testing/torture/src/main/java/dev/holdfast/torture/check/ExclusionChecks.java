package dev.holdfast.torture.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * P1 and P15, and P8 by its consequences: holders that certainly held at the same moment never have more units together
 * than there are. A holder certainly held from the return of its call to the last time that its lease said so.
 */
record ExclusionChecks(History history, Excuses excuses, Verdict verdict) {
    void run() {
        byName(history).forEach(this::check);
    }

    static Map<String, List<Op>> byName(History history) {
        Map<String, List<Op>> all = new TreeMap<>();
        for (Op op : history.ops.values()) {
            op.names.forEach(
                    name -> all.computeIfAbsent(name, key -> new ArrayList<>()).add(op));
        }
        return all;
    }

    private void check(String name, List<Op> ops) {
        List<Op> held = ops.stream()
                .filter(Op::surelyHeld)
                .sorted(Comparator.comparingLong(op -> op.returned))
                .toList();
        List<Op> now = new ArrayList<>();
        for (Op op : held) {
            now.removeIf(other -> other.heldUntil <= op.returned);
            long units = op.units + now.stream().mapToLong(other -> other.units).sum();
            if (units > op.capacity) {
                overlap(name, op, now);
            }
            now.add(op);
        }
    }

    private void overlap(String name, Op op, List<Op> others) {
        long from = others.stream().mapToLong(other -> other.returned).min().orElse(op.returned);
        if (excuses.forgotten(from, op.returned) || !history.promises("LOSS_BEFORE_REGRANT")) {
            verdict.count("overlaps_not_excluded_by_the_guarantees");
            return;
        }
        verdict.violated(
                op.kind.equals("permits") ? "P15" : "P1",
                op.returned,
                "'" + name + "' was held by " + op + " and " + others);
    }
}
