package dev.holdfast.cli.serve;

import dev.holdfast.cli.console.CannotWorkException;

/** The server cannot work here: its address is taken, or a file cannot be read. */
final class CannotServeException extends CannotWorkException {
    private static final long serialVersionUID = 1L;

    CannotServeException(String message, Throwable cause) {
        super(message, cause);
    }
}
