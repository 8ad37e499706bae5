package dev.holdfast.engine;

/** What a release found. */
enum ReleaseResult {
    /** The lease was held until now. */
    RELEASED,
    /** The lease was held until now, and whoever released it has to give the grant back to the store. */
    RELEASE_AT_STORE,
    /** The lease was lost before. */
    LOST_BEFORE,
    /** The lease had been released before. */
    RELEASED_BEFORE
}
