package dev.holdfast.engine;

import dev.holdfast.LossReason;
import dev.holdfast.spi.OwnerId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds the gate, claim or grant of a client that something concerns. Thread-safe. */
final class Gates {
    private static final int MOST_IDLE = 1_024;

    private final Engine engine;
    private final ConcurrentMap<String, Gate> gates = new ConcurrentHashMap<>();

    /** Shared claims by owner, from their first request until their grant has ended; others are found by their gate. */
    private final ConcurrentMap<OwnerId, Contender> sharedClaims = new ConcurrentHashMap<>();

    /** Claims that are over while a reply to them is still to come, by owner. */
    private final ConcurrentMap<OwnerId, Contender> claimsOfLateReplies = new ConcurrentHashMap<>();

    /** Whether there has been a gate of writers. */
    private volatile boolean hasWriters;

    Gates(Engine engine) {
        this.engine = engine;
    }

    /** The gate for terms, made if there is none. It may be out of use by the time it is entered. */
    Gate of(Terms terms) {
        Gate gate = gates.get(terms.gateKey);
        if (gate != null) {
            return gate;
        }
        if (terms.passesLocally && !terms.isPlainLock()) {
            hasWriters = true;
        }
        return gates.computeIfAbsent(
                terms.gateKey,
                key -> terms.passesLocally ? new ExclusiveGate(engine, key) : new SharedGate(engine, key));
    }

    boolean hasWriters() {
        return hasWriters;
    }

    /** Making a gate for each use of a lock would cost as much as the rest; keeping them all would be a leak. */
    boolean keepsIdle() {
        return gates.size() <= MOST_IDLE;
    }

    void retired(Gate gate) {
        gates.remove(gate.key, gate);
    }

    /** Lets go of gates that nobody uses. */
    void sweep() {
        gates.values().forEach(Gate::sweep);
    }

    void register(Contender shared) {
        sharedClaims.put(shared.claim.owner(), shared);
    }

    boolean unregister(OwnerId owner) {
        return sharedClaims.remove(owner) != null;
    }

    @Nullable
    Contender sharedClaimOf(OwnerId owner) {
        return sharedClaims.get(owner);
    }

    /** A claim is over, and a reply to it is still to come. */
    void awaitsReply(Contender over) {
        claimsOfLateReplies.put(over.claim.owner(), over);
    }

    void awaitsReplyNoMore(Contender over) {
        claimsOfLateReplies.remove(over.claim.owner());
    }

    /** The claim that is over and of which a reply is still to come. */
    @Nullable
    Contender overClaimOf(OwnerId owner) {
        return claimsOfLateReplies.get(owner);
    }

    /** The gates that pass a name on inside the client. */
    void forEachPassing(String name, Consumer<ExclusiveGate> action) {
        for (String key : Terms.passingKeys(name)) {
            if (gates.get(key) instanceof ExclusiveGate gate) {
                action.accept(gate);
            }
        }
    }

    /** The gates that an owner may contend at. */
    void forEachOf(String name, OwnerId owner, Consumer<Gate> action) {
        Contender shared = sharedClaims.get(owner);
        if (shared != null) {
            action.accept(shared.gate);
        } else {
            forEachPassing(name, action::accept);
        }
    }

    void forEachGrant(Consumer<HeldGrant> action) {
        for (Gate gate : gates.values()) {
            if (gate instanceof ExclusiveGate exclusive) {
                visit(exclusive.grant(), action);
            }
        }
        sharedClaims.values().forEach(claim -> visit(claim.currentGrant(), action));
    }

    private static void visit(@Nullable HeldGrant held, Consumer<HeldGrant> action) {
        if (held != null) {
            action.accept(held);
        }
    }

    /** A store that does not tell waiters of a release leaves that to the client, as far as it can. */
    void hintWaitersOf(Terms released) {
        for (String key : released.servedKeys()) {
            Gate gate = gates.get(key);
            if (gate != null) {
                gate.hint(null);
            }
        }
    }

    /** Ends everything because the client closes. */
    void close() {
        gates.values().forEach(Gate::close);
        sharedClaims.values().forEach(claim -> claim.gate.closeDirect(claim));
        forEachGrant(held -> held.endBecause(LossReason.CLIENT_CLOSED));
    }
}
