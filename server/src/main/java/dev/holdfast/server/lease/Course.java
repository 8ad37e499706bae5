package dev.holdfast.server.lease;

import java.util.concurrent.ScheduledFuture;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * How far one request is, and its two timers.
 *
 * <pre>
 *   ASKING ──contended──▶ WAITING ──pushed, or its turn to ask──▶ ASKING
 *      │                     │
 *      └──────────▶ ENDED ◀──┘     handed out, refused, time over, or the client has gone
 * </pre>
 *
 * Its monitor guards its fields. Thread-safe.
 */
final class Course {
    private State state = State.ASKING;
    private boolean over;
    private boolean pushed;
    private @Nullable ScheduledFuture<?> nextPoll;
    private @Nullable ScheduledFuture<?> end;

    private enum State {
        ASKING,
        WAITING,
        ENDED
    }

    /** From ASKING to WAITING; false if there is nothing to wait for any more. */
    synchronized boolean await(long nanos, LongFunction<ScheduledFuture<?>> poll) {
        if (over) {
            return false;
        }
        state = State.WAITING;
        nextPoll = poll.apply(pushed ? 0 : nanos);
        pushed = false;
        return true;
    }

    /** From WAITING to ASKING; false if it does not wait. If it asks already, it will ask once more. */
    synchronized boolean ask() {
        if (state == State.ASKING) {
            pushed = true;
        }
        return stopWaiting();
    }

    /** There is no more waiting from now on; true if it waited, so that its end is the caller's business. */
    synchronized boolean stop() {
        over = true;
        return stopWaiting();
    }

    private synchronized boolean stopWaiting() {
        if (state != State.WAITING) {
            return false;
        }
        state = State.ASKING;
        cancel(nextPoll);
        return true;
    }

    /** {@return whether this call has ended it} */
    synchronized boolean finish() {
        if (state == State.ENDED) {
            return false;
        }
        state = State.ENDED;
        cancel(nextPoll);
        cancel(end);
        return true;
    }

    /** Sets the timer that ends the wait, unless it has ended. */
    synchronized void endWith(long nanos, LongFunction<ScheduledFuture<?>> timer) {
        if (state != State.ENDED && end == null) {
            end = timer.apply(nanos);
        }
    }

    private static void cancel(@Nullable ScheduledFuture<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
