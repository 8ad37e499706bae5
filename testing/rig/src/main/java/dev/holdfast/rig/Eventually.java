package dev.holdfast.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for what servers do in their own time. */
public final class Eventually {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

    private Eventually() {}

    /** Something to wait for. */
    @FunctionalInterface
    public interface Condition {
        /**
         * Looks once.
         *
         * @return whether it has come
         * @throws IOException if a server does not answer, which means not yet
         */
        boolean holds() throws IOException;
    }

    /**
     * Waits until a condition holds.
     *
     * @param what for the message when it does not
     * @param patience for how long at most
     * @param condition looked at again and again
     * @throws InterruptedException if interrupted
     * @throws RigException if it did not hold in time
     */
    public static void await(String what, Duration patience, Condition condition) throws InterruptedException {
        await(() -> what + " did not come about within " + patience.toMillis() + " ms", patience, condition);
    }

    static void await(Supplier<String> complaint, Duration patience, Condition condition) throws InterruptedException {
        long begin = System.nanoTime();
        @Nullable Exception last = null;
        while (System.nanoTime() - begin < patience.toNanos()) {
            try {
                if (condition.holds()) {
                    return;
                }
                last = null;
            } catch (IOException | UncheckedIOException notYet) {
                last = notYet;
            }
            TimeUnit.NANOSECONDS.sleep(BETWEEN_LOOKS.toNanos());
        }
        throw new RigException(complaint.get(), last);
    }
}
