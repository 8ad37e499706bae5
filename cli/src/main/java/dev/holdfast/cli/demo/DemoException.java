package dev.holdfast.cli.demo;

import dev.holdfast.cli.console.CannotWorkException;
import org.jspecify.annotations.Nullable;

/** A demonstration cannot go on, because something that it needs does not work here. */
final class DemoException extends CannotWorkException {
    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        this(message, null);
    }

    DemoException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
