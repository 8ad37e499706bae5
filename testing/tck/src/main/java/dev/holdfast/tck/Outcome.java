package dev.holdfast.tck;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * How a call ended, and how long it took.
 *
 * @param answer the class of the end
 * @param took from the call to its end, without the time for which the machine let nobody run
 * @param detail what came out of it, for reports
 */
record Outcome(Answer answer, Duration took, String detail) {

    /** What callers tell apart. */
    enum Answer {
        ACQUIRED,
        NOT_ACQUIRED,
        /** The call was not about acquiring, and went through. */
        DONE,
        UNAVAILABLE,
        /** What the call was about was lost before. */
        LOST,
        FAILED
    }

    /** Makes a call on this thread. */
    static Outcome of(Callable<?> call) throws InterruptedException {
        long begin = now();
        try {
            Object result = call.call();
            return new Outcome(answerOf(result), since(begin), String.valueOf(result));
        } catch (StoreUnavailableException unavailable) {
            return new Outcome(Answer.UNAVAILABLE, since(begin), String.valueOf(unavailable));
        } catch (LeaseLostException lost) {
            return new Outcome(Answer.LOST, since(begin), String.valueOf(lost));
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception | AssertionError failed) {
            return new Outcome(Answer.FAILED, since(begin), String.valueOf(failed));
        }
    }

    private static Answer answerOf(Object result) {
        if (result instanceof Optional<?> acquired) {
            return acquired.isPresent() ? Answer.ACQUIRED : Answer.NOT_ACQUIRED;
        }
        return result instanceof Lease ? Answer.ACQUIRED : Answer.DONE;
    }

    private static Duration since(long beginNanos) {
        return Duration.ofNanos(Math.max(0, now() - beginNanos));
    }

    /** A clock that stands still while nobody can run, or not this thread. */
    private static long now() {
        return System.nanoTime() - Stalls.nanos() - Stalls.nanosOfThisThread();
    }
}
