package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The store cannot be used as it is set up: an unknown scheme or option, a wrong password, a missing permission or
 * table, a format from a newer release. Thrown at once and never retried, because waiting would not help.
 */
public final class StoreMisconfiguredException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception without a cause.
     *
     * @param message what is wrong and what to do; never a secret
     */
    public StoreMisconfiguredException(String message) {
        super(message);
    }

    /**
     * Makes the exception with its cause.
     *
     * @param message what is wrong and what to do; never a secret
     * @param cause what the store's client reported
     */
    public StoreMisconfiguredException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
