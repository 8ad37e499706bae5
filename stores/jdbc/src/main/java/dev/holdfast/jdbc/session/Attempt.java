package dev.holdfast.jdbc.session;

import java.util.List;

/** What became of an attempt to lock the names of a claim. */
public sealed interface Attempt {
    /**
     * They are locked.
     *
     * @param epochs one for each part of the claim, drawn while it was locked
     */
    record Taken(List<Long> epochs) implements Attempt {}

    /** Somebody else has at least one of them; none is locked. */
    record Refused() implements Attempt {}

    /**
     * A name is in use as something else; none is locked.
     *
     * @param detail what people should know
     */
    record Mismatched(String detail) implements Attempt {}
}
