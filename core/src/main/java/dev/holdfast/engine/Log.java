package dev.holdfast.engine;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * The engine's logger, looked up when there is something to log: that takes longer than a short run otherwise does. Whatever
 * goes wrong in the user's log goes no further, because nobody who reports a failure could do anything about a second one.
 */
public final class Log {
    private Log() {}

    /** Reports what the user should look at. */
    static void warning(String what, @Nullable Throwable cause) {
        log(Level.WARNING, what, cause);
    }

    /** Reports what should not have happened, and is survived. */
    public static void error(String what, Throwable cause) {
        log(Level.ERROR, what, cause);
    }

    private static void log(Level level, String what, @Nullable Throwable cause) {
        try {
            System.getLogger("dev.holdfast").log(level, what, cause);
        } catch (Throwable broken) {
            // A handler of the user's may throw anything, and memory may be short.
        }
    }
}
