package dev.holdfast.jdbc;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A row was changed by somebody else between reading and writing it. Nothing was changed; read it again. */
public final class UpdateConflictException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** The table of the row. */
    private final String table;

    /** How often it was tried. */
    private final int attempts;

    /**
     * Makes the exception.
     *
     * @param table of the row
     * @param attempts how often it was tried
     * @param cause what the database said, if the last attempt ended with a deadlock or the like
     */
    public UpdateConflictException(String table, int attempts, @Nullable Throwable cause) {
        super(
                "the row of table '" + table + "' was changed or deleted by somebody else "
                        + (attempts == 1 ? "since it was read" : "in each of " + attempts + " attempts")
                        + "; nothing was changed",
                cause);
        this.table = table;
        this.attempts = attempts;
    }

    /** {@return the table of the row} */
    public String table() {
        return table;
    }

    /** {@return how often it was tried} */
    public int attempts() {
        return attempts;
    }
}
