package dev.holdfast.spi;

/** How the store answered a release. */
public sealed interface ReleaseOutcome {

    /** The grant was held until this release. */
    record Released() implements ReleaseOutcome {}

    /** There was no such grant: lost before, or released by an earlier request. Nothing was changed. */
    record NotHeld() implements ReleaseOutcome {}

    /**
     * The store did not answer.
     *
     * @param cause what happened
     */
    record Unknown(RuntimeException cause) implements ReleaseOutcome {}

    /** The grant was held until this release. */
    ReleaseOutcome RELEASED = new Released();

    /** There was no such grant. */
    ReleaseOutcome NOT_HELD = new NotHeld();
}
