package dev.holdfast.cli.doctor;

/**
 * One thing that {@code doctor} has found.
 *
 * @param level how bad it is
 * @param what what was found
 * @param advice what to do about it; empty if there is nothing to do
 */
record Finding(Level level, String what, String advice) {
    /** How bad it is. */
    enum Level {
        /** As it should be, or worth knowing. */
        OK,
        /** Could not be looked at. */
        UNKNOWN,
        /** Locks can be lost, or two may hold one. */
        DANGER
    }

    static Finding ok(String what) {
        return new Finding(Level.OK, what, "");
    }

    static Finding unknown(String what, String advice) {
        return new Finding(Level.UNKNOWN, what, advice);
    }

    static Finding danger(String what, String advice) {
        return new Finding(Level.DANGER, what, advice);
    }
}
