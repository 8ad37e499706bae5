package dev.holdfast.torture.check;

import dev.holdfast.spi.Grant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One attempt to take a lock, and what came of it. Times are the referee's; where they are uncertain, each field says on
 * which side it errs.
 */
final class Op {
    static final long NEVER = Long.MAX_VALUE;

    final String id;
    final String process;
    final String client;
    final String kind;
    final String way;
    final List<String> names;
    final long units;
    final long capacity;

    /** How long it was to wait; negative for ever. */
    final long waitMillis;

    /** Not later than the call. */
    final long invoked;

    /** Its outcome: ok, none, cancelled, unknown, closed, interrupted, error; empty if its process died before it told. */
    String outcome = "";

    String detail = "";

    /** Not earlier than the return of the call. */
    long returned = NEVER;

    /** How long the call took, by its own process's clock. */
    long took;

    /** By name. */
    final Map<String, Long> tokens = new HashMap<>();

    /** It certainly held from {@link #returned} to here; before that if it was never seen to hold. */
    long heldUntil = Long.MIN_VALUE;

    /** Not earlier than its end at its holder: release over, or lost. {@link #NEVER} if its process died. */
    long ended = NEVER;

    /** Not later than the beginning of the release. */
    long releaseBegun = NEVER;

    /** Not later than the first time that it was seen not to be held; {@link #NEVER} if it was always. */
    long seenLost = NEVER;

    /** Not later than the moment at which onLost ran; {@link #NEVER} if it did not. */
    long told = NEVER;

    String toldReason = "";
    String how = "";

    /** Moments at which it certainly held, in order. */
    final List<Long> samples = new ArrayList<>();

    Op(
            String id,
            String process,
            String client,
            String kind,
            String way,
            List<String> names,
            long units,
            long capacity,
            long waitMillis,
            long invoked) {
        this.id = id;
        this.process = process;
        this.client = client;
        this.kind = kind;
        this.way = way;
        this.names = names;
        this.units = units;
        this.capacity = capacity;
        this.waitMillis = waitMillis;
        this.invoked = invoked;
    }

    boolean granted() {
        return outcome.equals("ok");
    }

    boolean exclusive() {
        return units == capacity;
    }

    boolean surelyHeld() {
        return granted() && heldUntil > returned;
    }

    boolean conflictsWith(Op other) {
        return units + other.units > capacity;
    }

    long token(String name) {
        return tokens.getOrDefault(name, -1L);
    }

    long epoch(String name) {
        return Grant.epochOf(token(name));
    }

    /** Whether the store has granted it; otherwise it was handed over or kept within its client. */
    boolean ofTheStore(String name) {
        return token(name) % Grant.LEASES_PER_GRANT == 0;
    }

    @Override
    public String toString() {
        return id + " " + kind + " " + way + " " + String.join("+", names)
                + (tokens.isEmpty() ? "" : " " + tokens.values());
    }
}
