package dev.holdfast.cli;

import dev.holdfast.LossReason;

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
