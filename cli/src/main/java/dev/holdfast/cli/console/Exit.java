package dev.holdfast.cli.console;

/** Exit codes, after {@code sysexits.h} where that has one. They are part of what users rely on. */
public final class Exit {
    public static final int OK = 0;
    /** There is nothing to show or to evict. */
    public static final int NOTHING_THERE = 1;
    /** A demonstration did not show what it has to show. */
    public static final int NOT_AS_TOLD = 1;
    /** The command line makes no sense. */
    public static final int USAGE = 64;
    /** Holdfast itself cannot work: not started by its launcher, its watchdog was killed, a defect. */
    public static final int INTERNAL = 70;
    /** The store failed, so nobody can tell whether the lock is free. */
    public static final int STORE_FAILED = 74;
    /** Somebody else has the lock, and had it for as long as was to be waited. */
    public static final int NOT_OBTAINED = 75;
    /** The lock was lost while the command ran. */
    public static final int LOST = 76;
    /** A token was too old. */
    static final int STALE = 77;
    /** The command was stopped because its time was over, as {@code timeout} has it. */
    public static final int TIME_UP = 124;
    /** What a process can end with. */
    public static final int LARGEST = 255;
    /** Added to a signal's number. */
    public static final int SIGNAL = 128;

    private Exit() {}
}
