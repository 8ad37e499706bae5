package dev.holdfast.cli;

import org.jspecify.annotations.Nullable;

/** A demonstration cannot go on, because something that it needs does not work here. */
final class DemoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DemoException(String message) {
        this(message, null);
    }

    DemoException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
