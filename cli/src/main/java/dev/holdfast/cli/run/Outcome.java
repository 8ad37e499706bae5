package dev.holdfast.cli.run;

import dev.holdfast.LossReason;
import dev.holdfast.cli.event.Event;

/** How a supervised command ended. */
sealed interface Outcome {

    /**
     * It ended by itself, under the lock.
     *
     * @param status its exit status, or 128 and the signal's number
     */
    record Ended(int status) implements Outcome {}

    /**
     * The lock was lost, and the command was stopped or has ended without protection.
     *
     * @param reason why
     */
    record LockLost(LossReason reason) implements Outcome {}

    /** Its time was over, and it was stopped while the lock was held. */
    record TimeUp() implements Outcome {}

    /** We were stopped for so long that the watchdog has stopped the command. */
    record Silent() implements Outcome {}

    /**
     * It was never started, because a signal came first.
     *
     * @param signal the signal
     */
    record Interrupted(Event.Signalled signal) implements Outcome {}

    /**
     * It could not be protected any more and was stopped.
     *
     * @param sentence what happened
     */
    record Unprotected(String sentence) implements Outcome {}
}
