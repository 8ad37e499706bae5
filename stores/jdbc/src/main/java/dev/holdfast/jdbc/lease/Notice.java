package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.OwnerId;

/**
 * What one client of the database tells another one. It is a hint: whoever hears it asks the database.
 *
 * @param client whom it is for
 * @param kind what happened
 * @param name the lock
 * @param owner whose claim it is about
 * @param epoch of which grant; 0 where there is none
 */
record Notice(String client, Kind kind, String name, OwnerId owner, long epoch) {
    /** What happened. */
    enum Kind {
        /** A waiting claim was granted, or it is worth asking again. */
        ASK('a'),
        /** Somebody waits for what the client holds. */
        WANTED('w'),
        /** The client's grant was taken away by force. */
        EVICTED('e');

        final char letter;

        Kind(char letter) {
            this.letter = letter;
        }
    }

    /** {@return the notice in one line of text} */
    String text() {
        return kind.letter + " " + owner + " " + epoch + " " + name;
    }

    /** Reads what {@link #text} wrote; the name may contain anything but line breaks. */
    static Notice parse(String client, String text) {
        String[] words = text.split(" ", 4);
        if (words.length == 4) {
            for (Kind kind : Kind.values()) {
                if (words[0].equals(String.valueOf(kind.letter))) {
                    return new Notice(client, kind, words[3], OwnerId.parse(words[1]), Long.parseLong(words[2]));
                }
            }
        }
        throw new IllegalArgumentException("a notification of another format");
    }
}
