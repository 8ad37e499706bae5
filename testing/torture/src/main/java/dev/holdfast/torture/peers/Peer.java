package dev.holdfast.torture.peers;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One client of one library's locks, used as its documentation says. Thread-safe. */
interface Peer extends AutoCloseable {
    /**
     * Takes a lock for the calling thread.
     *
     * @param name of the lock
     * @param wait how long at most; a library that cannot wait tries once
     * @return what was taken; null if somebody else has it
     * @throws Exception whatever the library throws
     */
    @Nullable
    Held take(String name, Duration wait) throws Exception;

    @Override
    void close() throws Exception;

    /** A lock that was taken, used by the thread that took it. */
    interface Held {
        /** The fencing token; negative where the library has none. */
        default long token() {
            return -1;
        }

        /** What the library says when it is asked whether the lock is still held. */
        default Answer ask() throws Exception {
            return Answer.CANNOT_BE_ASKED;
        }

        /**
         * Gives it back.
         *
         * @return false if the library says that it was not held any more
         */
        boolean release() throws Exception;
    }

    /** What a library says of a lock. */
    enum Answer {
        HELD,
        LOST,
        /** It has no way to ask. */
        CANNOT_BE_ASKED
    }
}
