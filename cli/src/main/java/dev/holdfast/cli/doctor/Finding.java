package dev.holdfast.cli.doctor;

/**
 * One thing that {@code doctor} has found.
 *
 * @param level how bad it is
 * @param id what it is about, the same whatever was found; for scripts and for {@code --ignore}
 * @param where the server, if there are several or it has to be named; empty otherwise
 * @param what what was found
 * @param advice what to do about it; empty if there is nothing to do
 */
record Finding(Level level, String id, String where, String what, String advice) {
    /** How bad it is. */
    enum Level {
        /** As it should be, or worth knowing. */
        OK,
        /** Could not be looked at. */
        UNKNOWN,
        /** Locks are safe, but one more fault stops them, or somebody may disturb them. */
        CAUTION,
        /** Locks can be lost, or two may hold one. */
        DANGER
    }

    /** {@return whether it says the same as another one, perhaps of another server} */
    boolean saysTheSameAs(Finding other) {
        return level == other.level && id.equals(other.id) && what.equals(other.what) && advice.equals(other.advice);
    }
}
