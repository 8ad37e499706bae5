package dev.holdfast.cli;

/** Exit codes, after {@code sysexits.h} where that has one. They are part of what users rely on. */
final class Exit {
    static final int OK = 0;
    /** There is nothing to show or to evict. */
    static final int NOTHING_THERE = 1;
    /** A demonstration did not show what it has to show. */
    static final int NOT_AS_TOLD = 1;
    /** The command line makes no sense. */
    static final int USAGE = 64;
    /** Holdfast itself cannot work: not started by its launcher, its watchdog was killed, a defect. */
    static final int INTERNAL = 70;
    /** The store failed, so nobody can tell whether the lock is free. */
    static final int STORE_FAILED = 74;
    /** Somebody else has the lock, and had it for as long as was to be waited. */
    static final int NOT_OBTAINED = 75;
    /** The lock was lost while the command ran. */
    static final int LOST = 76;
    /** Added to a signal's number. */
    static final int SIGNAL = 128;

    private Exit() {}
}
