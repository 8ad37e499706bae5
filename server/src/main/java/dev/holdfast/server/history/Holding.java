package dev.holdfast.server.history;

import org.jspecify.annotations.Nullable;

/**
 * One grant of a name, from its begin to its end, as far as this instance knows.
 *
 * @param name the lock
 * @param token its fencing token
 * @param client who held it
 * @param label what the holder said of itself
 * @param fromNanos when it began
 * @param toNanos when it ended, or when it was first seen to have ended; means nothing while it is held
 * @param ending how it ended; null while it is held
 */
public record Holding(
        String name,
        long token,
        String client,
        String label,
        long fromNanos,
        long toNanos,
        @Nullable Ending ending) {

    Holding ended(long atNanos, Ending how) {
        return new Holding(name, token, client, label, fromNanos, Math.max(fromNanos, atNanos), how);
    }

    /**
     * How a grant ended.
     *
     * @param how {@code released}, the word for a loss, or {@code unseen}
     * @param exact whether this instance knows, or concludes from two looks at the store
     * @param by who evicted
     * @param why the reason of an eviction
     */
    public record Ending(
            String how,
            boolean exact,
            @Nullable String by,
            @Nullable String why) {
        private static final String RELEASED = "released";
        private static final String UNSEEN = "unseen";

        /** This instance gave it back. */
        public static Ending released() {
            return new Ending(RELEASED, true, null, null);
        }

        /** This instance was told of the loss. */
        public static Ending lost(String how) {
            return new Ending(how, true, null, null);
        }

        /** It was taken away. */
        public static Ending evicted(String by, String why) {
            return new Ending("evicted", true, by, why);
        }

        /** It was there at one look and not at the next, and its lease cannot have run out in between. */
        public static Ending gone() {
            return new Ending(RELEASED, false, null, null);
        }

        /** It was there at one look and not at the next, and its lease was about to run out. */
        public static Ending expired() {
            return new Ending("expired", false, null, null);
        }

        /** It was there at one look and not at the next; more cannot be told. */
        public static Ending unseen() {
            return new Ending(UNSEEN, false, null, null);
        }

        /** {@return whether it ended before its holder gave it up} */
        public boolean isLoss() {
            return !how.equals(RELEASED) && !isUnseen();
        }

        /** {@return whether nobody knows how it ended} */
        public boolean isUnseen() {
            return how.equals(UNSEEN);
        }
    }
}
