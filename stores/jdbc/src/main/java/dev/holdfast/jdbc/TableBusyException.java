package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A table lock was not to be had in the time given, because others use the table. The work did not run. */
public final class TableBusyException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes the exception.
     *
     * @param tables what was to be locked
     * @param cause what the database said
     */
    public TableBusyException(String tables, @Nullable Throwable cause) {
        super(
                "the tables " + tables + " are in use by others and could not be locked in time; nothing was changed",
                cause);
    }
}
