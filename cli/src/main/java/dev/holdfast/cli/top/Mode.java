package dev.holdfast.cli.top;

import java.util.List;

/** What keys mean at the moment. */
sealed interface Mode {
    /** Keys move through the list. */
    record Browsing() implements Mode {}

    /** Keys change the filter. */
    record Filtering() implements Mode {}

    /**
     * One lock is shown with its line.
     *
     * @param name the lock
     * @param top the first line shown
     */
    record Detail(String name, int top) implements Mode {}

    /**
     * A reason for an eviction is typed.
     *
     * @param victim who is to be evicted
     * @param reason what was typed
     * @param back where an answer leads
     */
    record Reason(Victim victim, String reason, Mode back) implements Mode {}

    /**
     * An eviction waits for a typed yes.
     *
     * @param victim who is to be evicted
     * @param reason why
     * @param typed what was typed
     * @param back where an answer leads
     */
    record Confirmation(Victim victim, String reason, String typed, Mode back) implements Mode {}

    /**
     * The holders that were seen when the eviction was asked for. A later holder is not meant.
     *
     * @param name the lock
     * @param who the holders, safe to show
     * @param tokens their tokens
     */
    record Victim(String name, String who, List<Long> tokens) {}
}
