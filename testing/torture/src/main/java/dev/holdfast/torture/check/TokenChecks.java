package dev.holdfast.torture.check;

import dev.holdfast.torture.history.Line;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** P3 to P6: tokens are unique, and their order is the order of the grants. */
record TokenChecks(History history, Excuses excuses, Verdict verdict) {
    void run() {
        ExclusionChecks.byName(history).forEach((name, ops) -> {
            List<Op> granted = ops.stream().filter(Op::granted).toList();
            unique(name, granted);
            ordered(name, granted);
            asHeld(name, granted);
        });
        for (Line line : history.lines) {
            if (line.event().equals("reentry") && !line.is("same") && !line.is("lost")) {
                verdict.violated("P6", line.number("t"), "re-entry does not share the lease: " + line);
            }
        }
    }

    private void unique(String name, List<Op> granted) {
        Map<Long, Op> seen = new HashMap<>();
        for (Op op : granted) {
            Op other = seen.put(op.token(name), op);
            if (other != null) {
                verdict.violated("P3", op.returned, "'" + name + "' gave the same token to " + other + " and " + op);
            }
        }
    }

    /** P4: whoever was granted before the other one asked has the smaller token. */
    private void ordered(String name, List<Op> granted) {
        List<Op> byReturn = granted.stream()
                .sorted(Comparator.comparingLong(op -> op.returned))
                .toList();
        List<Op> byCall = granted.stream()
                .sorted(Comparator.comparingLong(op -> op.invoked))
                .toList();
        int next = 0;
        Op largest = null;
        Op largestExclusive = null;
        for (Op op : byCall) {
            while (next < byReturn.size() && byReturn.get(next).returned < op.invoked) {
                Op before = byReturn.get(next++);
                largest = larger(name, largest, before);
                largestExclusive = before.exclusive() ? larger(name, largestExclusive, before) : largestExclusive;
            }
            Op rival = op.exclusive() ? largest : largestExclusive;
            if (rival != null && rival.token(name) > op.token(name)) {
                reversed(name, rival, op);
            }
        }
    }

    private static Op larger(String name, @org.jspecify.annotations.Nullable Op one, Op other) {
        return one == null || other.token(name) > one.token(name) ? other : one;
    }

    private void reversed(String name, Op first, Op second) {
        if (excused(name, first, second)) {
            verdict.count("token_order_not_excluded_by_the_guarantees");
            return;
        }
        verdict.violated(
                "P4", second.returned, "'" + name + "': " + first + " was granted before " + second + " was asked for");
    }

    /**
     * A server that forgets its locks does not forget the order of its grants. Two things are left: an old server that
     * serves beside the new one for a moment, and a hand-off within a client that does not know yet that the store has
     * granted again.
     */
    private boolean excused(String name, Op first, Op second) {
        boolean handedOver = !second.ofTheStore(name) && first.epoch(name) != second.epoch(name);
        boolean grantedAgain =
                !history.promises("LOSS_BEFORE_REGRANT") || excuses.forgotten(first.invoked, second.returned);
        return excuses.replaced(first.invoked, second.returned) || (handedOver && grantedAgain);
    }

    /** P5: exclusive holders that certainly held one after another have tokens in that order. */
    private void asHeld(String name, List<Op> granted) {
        List<Op> held = granted.stream()
                .filter(op -> op.surelyHeld() && op.exclusive())
                .sorted(Comparator.comparingLong(op -> op.returned))
                .toList();
        for (int i = 1; i < held.size(); i++) {
            Op first = held.get(i - 1);
            Op second = held.get(i);
            if (first.heldUntil <= second.returned
                    && first.token(name) > second.token(name)
                    && !excused(name, first, second)) {
                verdict.violated("P5", second.returned, "'" + name + "' was held by " + first + ", then by " + second);
            }
        }
    }
}
