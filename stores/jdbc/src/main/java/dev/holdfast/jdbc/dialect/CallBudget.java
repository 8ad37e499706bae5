package dev.holdfast.jdbc.dialect;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * The one deadline of a call. Whatever a call waits for on its thread (a permit, an answer whether a connection lives, a
 * new connection, statements, repetitions) takes its time from the same budget, so that several things that are broken do
 * not add up. Work in the background has no call around it; there each piece of work has a budget of its own. Thread-safe.
 */
public final class CallBudget {
    /** Which part of the whole is little, and how much of it at most: a call may take a quarter of a second longer. */
    private static final int LITTLE = 10;

    private static final int MOST_LITTLE_MILLIS = 200;

    private final long totalNanos;

    /** When the call on this thread has to be over; none outside of calls. */
    private final ThreadLocal<Long> until = new ThreadLocal<>();

    CallBudget(Duration total) {
        this.totalNanos = Math.max(1_000_000, total.toNanos());
    }

    /**
     * Runs a call under one deadline. A call within a call has the deadline of the outer one.
     *
     * @param <R> what comes out
     * @param call what to do
     * @return its result
     */
    public <R> R within(Supplier<R> call) {
        if (until.get() != null) {
            return call.get();
        }
        until.set(System.nanoTime() + totalNanos);
        try {
            return call.get();
        } finally {
            until.remove();
        }
    }

    /**
     * Has a part of the call on this thread done by another thread, under the same deadline.
     *
     * @param part what the other thread does
     * @return the same with the deadline
     */
    public Runnable carried(Runnable part) {
        long end = deadlineNanos();
        return () -> {
            Long before = until.get();
            until.set(end);
            try {
                part.run();
            } finally {
                if (before == null) {
                    until.remove();
                } else {
                    until.set(before);
                }
            }
        };
    }

    /** {@return what is left, in milliseconds; at least 1, so that it never means "without a limit"} */
    public int remainingMillis() {
        Long end = until.get();
        long nanos = end == null ? totalNanos : Math.min(totalNanos, end - System.nanoTime());
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, nanos / 1_000_000));
    }

    /**
     * {@return how long an answer may take that is waited for from now on, in milliseconds} As long as little is spent, it
     * stays as it was: to change the limit of a connection costs time too.
     */
    int allowedSilenceMillis() {
        int remaining = remainingMillis();
        int total = totalMillis();
        return total - remaining < Math.min(total / LITTLE, MOST_LITTLE_MILLIS) ? total : remaining;
    }

    /** {@return when the call on this thread has to be over, by {@link System#nanoTime}} */
    long deadlineNanos() {
        Long end = until.get();
        return end == null ? System.nanoTime() + totalNanos : end;
    }

    int totalMillis() {
        return (int) Math.min(Integer.MAX_VALUE, totalNanos / 1_000_000);
    }
}
