package dev.holdfast.cli.console;

import org.jspecify.annotations.Nullable;

/** Holdfast itself cannot work here; its message is a sentence for the user, and the exit code is 70. */
public abstract class CannotWorkException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    protected CannotWorkException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
