package dev.holdfast;

/** What a name is used as. A name is of one kind at a time. */
public enum LockKind {
    /** One holder. */
    EXCLUSIVE,
    /** Many readers or one writer. */
    READ_WRITE,
    /** A fixed number of permits. */
    SEMAPHORE
}
