package dev.holdfast.cli.event;

import dev.holdfast.LossReason;

/** What can happen while a command is supervised. */
public sealed interface Event {

    /**
     * The command's process group is there; the command itself is not yet.
     *
     * @param group the process group
     * @param runner the parent of its first process
     * @param terminal whether it was given the terminal
     */
    record Grouped(long group, long runner, boolean terminal) implements Event {}

    /** The watchdog has taken one of the seats. */
    record Seated() implements Event {}

    /** The watchdog could not take a seat: an earlier command does not go away. */
    record NoSeat() implements Event {}

    /** The watchdog watches the process group. */
    record Guarding() implements Event {}

    /** The watchdog has not heard from us for long. */
    record Asked() implements Event {}

    /** The command was stopped together with us and may go on if the lock is still held. */
    record Resumed() implements Event {}

    /**
     * The command has ended.
     *
     * @param status its exit status, or 128 and the signal's number
     */
    record Exited(int status) implements Event {}

    /**
     * The watchdog has stopped the command, and nothing is left of its process group.
     *
     * @param why what made it do so
     */
    record Stopped(Why why) implements Event {
        /** What makes a watchdog stop a command. */
        public enum Why {
            /** The lock is gone, or would be. */
            LOCK,
            /** It did not hear from us, although the lock has no deadline. */
            SILENCE,
            /** The command's time is over. */
            LIMIT
        }
    }

    /** The watchdog has killed the command, but something of it does not go away. */
    record Stuck() implements Event {}

    /** The watchdog has not stopped the command, and will not any more. */
    record Dismissed() implements Event {}

    /** The watchdog is dead. */
    record WatchdogDied() implements Event {}

    /** The process that a guardian holds a lock for has ended. */
    record OwnerEnded() implements Event {}

    /** The process that a guardian holds a lock for gives it back. */
    record Released() implements Event {}

    /** The runner has ended. */
    record RunnerEnded() implements Event {}

    /**
     * The lock is lost.
     *
     * @param reason why
     */
    record Lost(LossReason reason) implements Event {}

    /**
     * Somebody has sent us a signal.
     *
     * @param name its name, without SIG
     * @param number its number
     */
    record Signalled(String name, int number) implements Event {
        public static final Signalled TERM = new Signalled("TERM", 15);
    }
}
