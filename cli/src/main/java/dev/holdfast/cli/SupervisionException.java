package dev.holdfast.cli;

import org.jspecify.annotations.Nullable;

/** The command cannot be protected, so it must not run. */
final class SupervisionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SupervisionException(String message) {
        this(message, null);
    }

    SupervisionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
