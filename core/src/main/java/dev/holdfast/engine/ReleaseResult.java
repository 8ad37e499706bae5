package dev.holdfast.engine;

/** What a release found. */
enum ReleaseResult {
    /** The lease was held until now. */
    RELEASED,
    /** The lease was held until now, and the store's grant has to go back too. */
    RELEASE_AT_STORE,
    /** The lease was lost before. */
    LOST_BEFORE,
    /** The lease had been released before. */
    RELEASED_BEFORE
}
