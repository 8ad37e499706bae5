package dev.holdfast;

/**
 * A name is in use as a lock of another kind or capacity right now, for example as a semaphore of 3 while a semaphore
 * of 5 was asked for. Nothing was changed; use the same kind and capacity everywhere, or another name.
 */
public final class LockMismatchException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param detail which name, what it is used as, and what was asked for
     */
    public LockMismatchException(String detail) {
        super(detail);
    }
}
