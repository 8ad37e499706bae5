package dev.holdfast.cli;

import dev.holdfast.LossReason;

/** What can happen while a command is supervised. */
sealed interface Event {

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
     * @param forSilence whether it did so because it did not hear from us, although the lock has no deadline
     */
    record Stopped(boolean forSilence) implements Event {}

    /** The watchdog has killed the command, but something of it does not go away. */
    record Stuck() implements Event {}

    /** The watchdog has not stopped the command, and will not any more. */
    record Dismissed() implements Event {}

    /** The watchdog is dead. */
    record WatchdogDied() implements Event {}

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
    record Signalled(String name, int number) implements Event {}
}
