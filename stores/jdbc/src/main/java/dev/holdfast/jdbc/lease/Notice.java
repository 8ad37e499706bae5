package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.OwnerId;
import org.jspecify.annotations.Nullable;

/**
 * What one client of the database tells another one. It is a hint, except for a grant, which was committed before it is
 * heard of: the database tells only what is committed, over a channel whose name nobody can guess.
 *
 * @param client whom it is for
 * @param kind what happened
 * @param name the lock
 * @param owner whose claim it is about
 * @param epoch of which grant; 0 where there is none
 * @param terms of a grant; null of everything else
 */
record Notice(
        String client,
        Kind kind,
        String name,
        OwnerId owner,
        long epoch,
        @Nullable Terms terms) {
    private static final int WORDS = 4;

    /** The epoch and the terms, each behind a colon. */
    private static final int NUMBERS = 5;

    /** What happened. */
    enum Kind {
        /** A waiting claim was granted, or it is worth asking again. */
        ASK('a'),
        /** A waiting claim was granted, and this is the grant. */
        GRANTED('g'),
        /** Somebody waits for what the client holds. */
        WANTED('w'),
        /** The client's grant was taken away by force. */
        EVICTED('e');

        final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    /**
     * How a claim was granted.
     *
     * @param serverMicros when, by the server's clock
     * @param place by which server
     * @param validMicros for how long
     * @param wanted whether somebody else waits
     */
    record Terms(long serverMicros, long place, long validMicros, boolean wanted) {}

    /** A notice of anything but a grant. */
    Notice(String client, Kind kind, String name, OwnerId owner, long epoch) {
        this(client, kind, name, owner, epoch, null);
    }

    /** {@return the notice in one line of text} */
    String text() {
        return kind.letter + " " + owner + " " + epoch + " " + name;
    }

    /** Reads what {@link #text} or {@link OneTrip} wrote; the name may contain anything but line breaks. */
    static Notice parse(String client, String text) {
        String[] words = text.split(" ", WORDS);
        if (words.length == WORDS) {
            for (Kind kind : Kind.values()) {
                if (words[0].equals(String.valueOf(kind.letter))) {
                    String[] numbers = words[2].split(":");
                    Terms terms = kind == Kind.GRANTED ? termsOf(numbers) : null;
                    return new Notice(
                            client, kind, words[3], OwnerId.parse(words[1]), Long.parseLong(numbers[0]), terms);
                }
            }
        }
        throw new IllegalArgumentException("a notification of another format");
    }

    private static Terms termsOf(String[] numbers) {
        if (numbers.length != NUMBERS) {
            throw new IllegalArgumentException("a grant of another format");
        }
        return new Terms(
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]),
                numbers[4].equals("1"));
    }
}
