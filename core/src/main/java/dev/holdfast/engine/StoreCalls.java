package dev.holdfast.engine;

import dev.holdfast.spi.LockStore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes calls to the store without holding up the caller. Thread-safe. */
public interface StoreCalls {

    /** Which calls must not wait for each other. */
    enum Lane {
        /** Attempts and polls. */
        ORDINARY,
        /** Renewals, which must get through while everything else is stuck. */
        RENEWALS,
        /** What is given back to the store, which must not wait behind attempts that hang. */
        CLEANUP
    }

    /**
     * Makes one call, later, unless nobody needs its answer by then: a call that waits for its turn behind calls that hang
     * need not be made when whoever asked for it has given up.
     *
     * @param lane whom it may wait for
     * @param stillNeeded asked before the call is made; if false, there is neither an answer nor a failure
     * @param call what to ask
     * @param reply receives the answer; is called exactly once, unless the client is closed first
     * @param <R> the kind of answer
     */
    <R> void submit(Lane lane, BooleanSupplier stillNeeded, Function<LockStore, R> call, Reply<R> reply);

    /**
     * Waits, because the client closes; from then on calls fail at once.
     *
     * @param isDone whether everything has been said to the store
     * @param untilNanos when to stop waiting, by the client's clock
     */
    default void finish(BooleanSupplier isDone, long untilNanos) {}

    /**
     * Closes the store, and does not wait for that for longer than to a moment.
     *
     * @param store the store
     * @param untilNanos when to stop waiting, by the client's clock
     */
    default void close(LockStore store, long untilNanos) {
        store.close();
    }

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
