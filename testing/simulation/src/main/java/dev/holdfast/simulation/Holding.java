package dev.holdfast.simulation;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;

/** What the ledger knows of one grant of one name. Kept for the whole history, also when it is over. */
final class Holding {
    static final long NEVER = Long.MAX_VALUE;

    final Process client;
    final Claim claim;
    final Claim.Part part;
    final long epoch;

    /** Grants of the whole history in their order. */
    final long order;

    /** How many times the server had forgotten everything before. */
    final int era;

    /** One for all names of a claim. */
    final Expiry expiry;

    State state = State.HELD;

    /** When the first lease of this grant was given to the program, in true time. */
    long usedAt = NEVER;

    /** When the client was first told that somebody waits, and not told otherwise since, in true time. */
    long wantedHeardAt = NEVER;

    /** The server's time of the newest word that the client has heard on whether somebody waits. */
    long wordOfNanos;

    /** When the client sent off its release or withdrawal, in true time. */
    long releaseSentAt = NEVER;

    /** When a holder was told that a lease of this grant is lost, in true time. */
    long lossToldAt = NEVER;

    /** When it was released, evicted or forgotten, in true time. */
    long endedAt = NEVER;

    /** Since when no lease of the client's stands for this grant; {@link #NEVER} while one does. */
    long unownedSince;

    /** Until when a claim's grants last, by the server's clock. */
    static final class Expiry {
        long nanos;
    }

    /** What has become of a grant, apart from expiring. */
    enum State {
        HELD,
        RELEASED,
        EVICTED,
        FORGOTTEN
    }

    Holding(Process client, Claim claim, Claim.Part part, long epoch, long order, int era, Expiry expiry, long now) {
        this.client = client;
        this.claim = claim;
        this.part = part;
        this.epoch = epoch;
        this.order = order;
        this.era = era;
        this.expiry = expiry;
        this.unownedSince = now;
    }

    OwnerId owner() {
        return claim.owner();
    }

    boolean isHeldAt(long serverNanos) {
        return state == State.HELD && serverNanos < expiry.nanos;
    }

    @Override
    public String toString() {
        return part.name() + "@" + epoch + "#" + Words.of(owner()) + " of " + client + " (" + state + ")";
    }
}
