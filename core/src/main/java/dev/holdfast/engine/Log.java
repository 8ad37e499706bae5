package dev.holdfast.engine;

/** The engine's logger, looked up when there is something to log: that takes longer than a short run otherwise does. */
public final class Log {
    private Log() {}

    /** {@return the logger} */
    public static System.Logger get() {
        return System.getLogger("dev.holdfast");
    }
}
