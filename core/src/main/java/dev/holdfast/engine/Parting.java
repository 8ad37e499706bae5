package dev.holdfast.engine;

/** How a lease and its holder part. */
enum Parting {
    /** It was held until now. */
    RELEASED,
    /** It was held until now, and the store's grant has to go back too. */
    RELEASE_AT_STORE,
    /** It was lost before. */
    LOST_BEFORE,
    /** It had been released before. */
    RELEASED_BEFORE
}
