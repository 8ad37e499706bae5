package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.util.concurrent.TimeUnit;

/**
 * One row of the claim table: a claim's interest in one name. Lives within one transaction and is used by its thread.
 * Times are microseconds of the database's clock.
 */
final class Entry {
    /** What an entry stands for. */
    enum State {
        /** In line. */
        WAITING('W'),
        /** Holds some of the units. Who holds all of them is in the lock's own row. */
        HOLDING('H'),
        /** Was withdrawn, and a request of it may still arrive. */
        TOMBSTONE('T');

        final char letter;

        State(char letter) {
            this.letter = letter;
        }

        static State of(String text) {
            for (State state : values()) {
                if (text.charAt(0) == state.letter) {
                    return state;
                }
            }
            throw new IllegalStateException("the claim table has an entry in the unknown state '" + text + "'");
        }
    }

    final String name;
    final OwnerId owner;
    final int units;
    final int parts;
    final long lease;
    final Party party;
    State state;
    long arrival;
    long epoch;
    long expires;
    long since;

    /** Whether the table does not have it yet. */
    boolean fresh;

    /** Whether the table has an older version of it. */
    boolean changed;

    Entry(String name, OwnerId owner, State state, int units, int parts, long lease, Party party) {
        this.name = name;
        this.owner = owner;
        this.state = state;
        this.units = units;
        this.parts = parts;
        this.lease = lease;
        this.party = party;
    }

    static Entry of(Claim claim, Claim.Part part, State state, String client, long now) {
        Entry entry = new Entry(
                part.name(),
                claim.owner(),
                state,
                part.units(),
                claim.parts().size(),
                micros(claim),
                new Party(client, claim.holder().clientName(), claim.holder().label()));
        entry.since = now;
        entry.fresh = true;
        return entry;
    }

    static long micros(Claim claim) {
        return TimeUnit.NANOSECONDS.toMicros(claim.lease().toNanos());
    }

    boolean takesUnits() {
        return state != State.TOMBSTONE;
    }

    /**
     * Who a claim belongs to.
     *
     * @param client the id of the store instance that speaks for it
     * @param name its name for people
     * @param label its note for people
     */
    record Party(String client, String name, String label) {}
}
