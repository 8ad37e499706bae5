package dev.holdfast;

import org.jspecify.annotations.Nullable;

/** The root of everything that Holdfast throws, apart from {@link IllegalArgumentException} for a bad argument. */
public class HoldfastException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception without a cause.
     *
     * @param message what happened and what to do
     */
    public HoldfastException(String message) {
        super(message);
    }

    /**
     * Makes an exception with its cause.
     *
     * @param message what happened and what to do
     * @param cause what led to it, if known
     */
    public HoldfastException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
