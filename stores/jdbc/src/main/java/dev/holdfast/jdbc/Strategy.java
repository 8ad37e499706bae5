package dev.holdfast.jdbc;

/** How a database is used for locks. */
public enum Strategy {
    /** A row with an expiry by the database's clock; the default. Works through every pool and pooler. */
    LEASE,
    /** {@code SELECT … FOR UPDATE} on a connection that is kept while the lock is held. */
    ROW,
    /** {@code pg_advisory_lock} or {@code GET_LOCK} on a connection that is kept while the lock is held. */
    ADVISORY
}
