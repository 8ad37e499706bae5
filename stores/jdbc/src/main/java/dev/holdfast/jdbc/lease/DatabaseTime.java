package dev.holdfast.jdbc.lease;

/**
 * What the database's clock said in a transaction, in microseconds.
 *
 * @param now the time
 * @param ahead by how much epochs are ahead of it
 */
record DatabaseTime(long now, long ahead) {
    /** {@return what a new epoch is at least} */
    long start() {
        return now + ahead;
    }

    DatabaseTime laterOf(DatabaseTime other) {
        return other.now > now ? other : this;
    }
}
