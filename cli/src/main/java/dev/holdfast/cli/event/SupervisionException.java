package dev.holdfast.cli.event;

import dev.holdfast.cli.console.CannotWorkException;
import org.jspecify.annotations.Nullable;

/** The command cannot be protected, so it must not run. */
public final class SupervisionException extends CannotWorkException {
    private static final long serialVersionUID = 1L;

    public SupervisionException(String message) {
        this(message, null);
    }

    public SupervisionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
