package dev.holdfast.rig;

import org.opentest4j.TestAbortedException;

/** A server cannot run here at all. JUnit reports the test, or the class, as skipped and gives the reason. */
public final class CannotRunException extends TestAbortedException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one and says so where nobody can miss it.
     *
     * @param reason a full sentence
     */
    public CannotRunException(String reason) {
        super(reason);
        System.err.println("RIG: CANNOT RUN: " + reason);
    }
}
