package dev.holdfast.cli.run;

import dev.holdfast.LossReason;
import dev.holdfast.cli.console.Exit;
import dev.holdfast.cli.event.Event;

/** How a supervised command ended. */
sealed interface Outcome {

    /** {@return the exit code that tells of it} */
    int code();

    /**
     * It ended by itself, under the lock.
     *
     * @param status its exit status, or 128 and the signal's number
     */
    record Ended(int status) implements Outcome {
        @Override
        public int code() {
            return status;
        }
    }

    /**
     * The lock was lost, and the command was stopped or has ended without protection.
     *
     * @param reason why
     */
    record LockLost(LossReason reason) implements Outcome {
        @Override
        public int code() {
            return Exit.LOST;
        }
    }

    /** Its time was over, and it was stopped while the lock was held. */
    record TimeUp() implements Outcome {
        @Override
        public int code() {
            return Exit.TIME_UP;
        }
    }

    /** We were stopped for so long that the watchdog has stopped the command. */
    record Silent() implements Outcome {
        @Override
        public int code() {
            return Exit.LOST;
        }
    }

    /**
     * It was never started, because a signal came first.
     *
     * @param signal the signal
     */
    record Interrupted(Event.Signalled signal) implements Outcome {
        @Override
        public int code() {
            return Exit.SIGNAL + signal.number();
        }
    }

    /**
     * It could not be protected any more and was stopped.
     *
     * @param sentence what happened
     */
    record Unprotected(String sentence) implements Outcome {
        @Override
        public int code() {
            return Exit.INTERNAL;
        }
    }
}
