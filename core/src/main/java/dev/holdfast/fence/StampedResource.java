package dev.holdfast.fence;

/**
 * Anything that can compare and set a value together with a token, in one atomic step: an object store with conditional
 * writes, a register, a row with a version. Thread-safe, as far as it is used by several threads.
 *
 * @param <V> the kind of value
 */
public interface StampedResource<V> {

    /** {@return the value and token as they are now} */
    Stamped<V> read();

    /**
     * Replaces value and token together, if both are still as they were read.
     *
     * @param expected what {@link #read()} returned
     * @param next what to put in its place
     * @return whether it was replaced
     */
    boolean compareAndSet(Stamped<V> expected, Stamped<V> next);

    /**
     * Makes a resource in the memory of this process.
     *
     * @param initial its first value
     * @param <V> the kind of value
     * @return the resource, thread-safe
     */
    static <V> StampedResource<V> inMemory(V initial) {
        return new StampedResource<>() {
            private Stamped<V> current = new Stamped<>(initial, 0);

            @Override
            public synchronized Stamped<V> read() {
                return current;
            }

            @Override
            public synchronized boolean compareAndSet(Stamped<V> expected, Stamped<V> next) {
                boolean unchanged = current.equals(expected);
                if (unchanged) {
                    current = next;
                }
                return unchanged;
            }
        };
    }
}
