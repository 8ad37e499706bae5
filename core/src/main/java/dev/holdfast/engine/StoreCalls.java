package dev.holdfast.engine;

import dev.holdfast.spi.LockStore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes calls to the store without holding up the caller. Thread-safe. */
public interface StoreCalls {

    /** Which calls must not wait for each other. */
    enum Lane {
        /** Attempts, polls, releases and withdrawals. */
        ORDINARY,
        /** Renewals, which must get through while everything else is stuck. */
        RENEWALS
    }

    /**
     * Makes one call, later.
     *
     * @param lane whom it may wait for
     * @param call what to ask
     * @param reply receives the answer; is called exactly once, unless the client is closed first
     * @param <R> the kind of answer
     */
    <R> void submit(Lane lane, Function<LockStore, R> call, Reply<R> reply);

    /** Lets calls that were submitted come to their end, within bounds; later ones fail at once. */
    default void finish() {}

    /**
     * Receives the answer of a call.
     *
     * @param <R> the kind of answer
     */
    @FunctionalInterface
    interface Reply<R> {
        /**
         * Receives an answer, or the failure to get one.
         *
         * @param sentNanos the clock's reading before the call was made
         * @param result the answer, or null
         * @param failure why there is none, or null
         */
        void on(long sentNanos, @Nullable R result, @Nullable Throwable failure);
    }
}
