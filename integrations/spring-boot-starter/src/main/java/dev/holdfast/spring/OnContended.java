package dev.holdfast.spring;

/** What a call of a locked method does when somebody else holds the lock for all of the wait. */
public enum OnContended {
    /** {@link #THROW}, but {@link #SKIP} for a {@code @Scheduled} method. */
    DEFAULT,
    /** Throws a {@link LockContendedException}; the method does not run. */
    THROW,
    /**
     * Returns without a result ({@code null}, an empty {@code Optional}, a future of {@code null}, an empty {@code Mono}
     * or {@code Flux}); the method does not run. Not for methods that return a primitive value. A store that does not
     * answer is still an exception.
     */
    SKIP
}
