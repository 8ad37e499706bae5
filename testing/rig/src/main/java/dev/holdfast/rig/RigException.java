package dev.holdfast.rig;

import org.jspecify.annotations.Nullable;

/** The rig could not do what a test asked of it. This is a failure of the test, never a skipped one. */
public final class RigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what failed
     */
    public RigException(String message) {
        this(message, null);
    }

    /**
     * Makes one.
     *
     * @param message what failed
     * @param cause why, if known
     */
    public RigException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
