package dev.holdfast.cli.doctor;

/** What {@code doctor} knows of one kind of store. It only reads, over connections of its own. */
interface Examination {
    /** {@return whether it knows stores of this scheme, which is in lower case} */
    boolean knows(String scheme);

    /** Looks at a store. A server that does not answer or refuses is a finding, not a failure. */
    void examine(Subject subject, Findings findings);
}
