package dev.holdfast.engine;

import org.jspecify.annotations.Nullable;

/** First come, first served, with a cheap way out of the middle. Guarded by its gate. */
final class WaitLine {
    private static final int NEAR = 16;

    private @Nullable Waiter head;
    private @Nullable Waiter tail;

    /** How many of those in line are overdue. */
    private int overdue;

    @Nullable
    Waiter head() {
        return head;
    }

    /** Whether a waiter is one of the first few. */
    boolean isNearHead(Waiter waiter) {
        Waiter other = waiter.ahead;
        for (int others = 1; other != null && others < NEAR; others++) {
            other = other.ahead;
        }
        return other == null;
    }

    boolean hasOverdue() {
        return overdue > 0;
    }

    /** The time of a waiter is up, whether it stands in line or not. */
    void becomesOverdue(Waiter waiter) {
        waiter.becomeOverdue();
        if (waiter.inLine) {
            overdue++;
        }
    }

    void join(Waiter waiter) {
        waiter.inLine = true;
        if (waiter.isOverdue()) {
            overdue++;
        }
        waiter.ahead = tail;
        if (tail == null) {
            head = waiter;
        } else {
            tail.behind = waiter;
        }
        tail = waiter;
    }

    void leave(Waiter waiter) {
        if (!waiter.inLine) {
            return;
        }
        if (waiter.isOverdue()) {
            overdue--;
        }
        if (waiter.ahead == null) {
            head = waiter.behind;
        } else {
            waiter.ahead.behind = waiter.behind;
        }
        if (waiter.behind == null) {
            tail = waiter.ahead;
        } else {
            waiter.behind.ahead = waiter.ahead;
        }
        waiter.ahead = null;
        waiter.behind = null;
        waiter.inLine = false;
    }
}
