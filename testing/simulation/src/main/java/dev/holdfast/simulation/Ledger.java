package dev.holdfast.simulation;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The truth about the server: an independent account of every grant, kept from requests and answers alone. It knows the
 * rules but not how the table follows them, and so it checks the table: units within capacity (P1, P15), answers for the
 * own grant only (P2, P8), epochs in order of grants (P5), nothing for those who have left (P9), a line in order of
 * arrival (P13), all names or none.
 */
final class Ledger {
    private final World world;
    private final Map<String, List<Holding>> holdings = new HashMap<>();
    private final Waiting waiting;
    private long grants;
    private int era;

    Ledger(World world) {
        this.world = world;
        this.waiting = new Waiting(world);
    }

    /** Enters the answer to a claim. */
    void acquired(Process client, Claim claim, AcquireOutcome outcome, long now) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            granted(client, claim, granted.grants(), now);
        } else if (outcome instanceof AcquireOutcome.Contended && !waiting.isWithdrawn(claim.owner(), now)) {
            if (waiting.overbooked(claim, this, now) == null) {
                world.fail("P12", Words.of(claim) + " was turned away although it fits");
            }
            if (claim.queue()) {
                waiting.enter(client, claim, now);
            }
        }
    }

    /** Enters a grant that a waiting claim was given by the way. */
    void served(Process client, List<Grant> given, long now) {
        Claim claim = waiting.claimOf(given.get(0).owner());
        if (claim == null) {
            world.fail("P12", "granted to a claim that does not wait: " + Words.of(given.get(0)));
            return;
        }
        if (!waiting.isInLine(claim.owner(), now)) {
            world.fail("P11", "granted to a claim that was not heard of for too long: " + Words.of(claim));
        }
        granted(client, claim, given, now);
    }

    private void granted(Process client, Claim claim, List<Grant> given, long now) {
        if (given.size() != claim.parts().size()) {
            world.fail("all or nothing", Words.of(claim) + " was granted " + given.size() + " of its names");
            return;
        }
        Holding known = find(given.get(0).name(), given.get(0).epoch());
        if (known != null) {
            grantedBefore(known, claim, given.get(0), now);
            return;
        }
        if (waiting.isWithdrawn(claim.owner(), now)) {
            world.fail("P9", Words.of(claim) + " was granted after it had been withdrawn for good");
        }
        String overbooked = waiting.overbooked(claim, this, now);
        if (overbooked != null) {
            world.fail("P15", "granted " + Words.of(claim) + " although " + overbooked);
        }
        waiting.leave(claim.owner());
        Holding.Expiry expiry = new Holding.Expiry();
        expiry.nanos = now + validFor(given.get(0));
        grants++;
        for (int i = 0; i < given.size(); i++) {
            enter(new Holding(
                    client, claim, claim.parts().get(i), given.get(i).epoch(), grants, era, expiry, world.now()));
        }
    }

    private void enter(Holding fresh) {
        List<Holding> earlier = holdings.computeIfAbsent(fresh.part.name(), name -> new ArrayList<>());
        if (!earlier.isEmpty() && earlier.get(earlier.size() - 1).epoch >= fresh.epoch) {
            world.fail("P5", "epoch of " + fresh + " is not above that of " + earlier.get(earlier.size() - 1));
        }
        earlier.add(fresh);
    }

    private void grantedBefore(Holding known, Claim claim, Grant given, long now) {
        if (!known.owner().equals(claim.owner()) || !known.isHeldAt(now)) {
            world.fail("P2", Words.of(claim) + " was told that it holds " + known);
        } else if (now + validFor(given) > known.expiry.nanos) {
            world.fail("P2", "a repeated request was promised more time than " + known + " has left");
        }
    }

    private static long validFor(Grant grant) {
        Duration validFor = grant.validFor();
        return validFor == null ? grant.lease().toNanos() : validFor.toNanos();
    }

    /** Enters a withdrawal, before it is made. */
    void withdraw(Process client, Claim claim, boolean forGood, long sentAt, long now) {
        waiting.leave(claim.owner());
        if (forGood) {
            waiting.bury(claim.owner(), now);
        }
        for (Claim.Part part : claim.parts()) {
            for (Holding holding : of(part.name())) {
                if (holding.owner().equals(claim.owner())) {
                    end(client, holding, Holding.State.RELEASED, sentAt);
                }
            }
        }
    }

    /** Enters a release, before it is made; tells whether it has something to release. */
    boolean release(Process client, Grant grant, long sentAt, long now) {
        Holding holding = find(grant.name(), grant.epoch());
        if (holding == null || !holding.owner().equals(grant.owner())) {
            return false;
        }
        boolean held = holding.isHeldAt(now);
        end(client, holding, Holding.State.RELEASED, sentAt);
        return held;
    }

    private void end(Process client, Holding holding, Holding.State state, long sentAt) {
        holding.releaseSentAt = Math.min(holding.releaseSentAt, sentAt);
        if (holding.state == Holding.State.HELD) {
            holding.state = state;
            holding.endedAt = world.now();
            client.beliefs().released(holding);
        }
    }

    /** Checks that a client may have sent a renewal at a moment of true time. */
    void renewalSent(Process client, Grant grant, long sentAt) {
        Holding holding = find(grant.name(), grant.epoch());
        if (holding == null) {
            world.fail("P2", client + " renews " + Words.of(grant) + ", which was never granted");
        } else if (sentAt > holding.lossToldAt) {
            world.fail("P9", client + " renews " + holding + " after having told its loss");
        } else if (sentAt > holding.releaseSentAt) {
            world.fail("P9", client + " renews " + holding + " after having released it");
        }
    }

    boolean holds(Grant grant, long now) {
        Holding holding = find(grant.name(), grant.epoch());
        return holding != null && holding.owner().equals(grant.owner()) && holding.isHeldAt(now);
    }

    /** Enters the answer to a renewal. */
    void renewed(Process client, Grant grant, boolean held, RenewOutcome outcome, long now) {
        Holding holding = find(grant.name(), grant.epoch());
        if (held != outcome instanceof RenewOutcome.Renewed) {
            if (!held && holding != null && overflows(holding, now)) {
                world.fail("P15", "renewal of " + holding + " takes more than there is");
            }
            world.fail("P2", "renewal of " + Words.of(grant) + " by " + client + " answered " + outcome);
        } else if (holding != null && outcome instanceof RenewOutcome.Renewed renewed) {
            holding.expiry.nanos =
                    now + Objects.requireNonNull(renewed.validFor()).toNanos();
        }
    }

    private boolean overflows(Holding holding, long now) {
        long others = unitsHeld(holding.part.name(), holding.owner(), now);
        return others + holding.part.units() > holding.part.capacity();
    }

    /** Enters an eviction, before it is made; tells how many claims go. */
    int evict(String name, OptionalLong epoch, long now) {
        int evicted = 0;
        for (Holding holding : of(name)) {
            if (holding.isHeldAt(now) && (epoch.isEmpty() || epoch.getAsLong() == holding.epoch)) {
                evicted++;
                for (Claim.Part part : holding.claim.parts()) {
                    for (Holding other : of(part.name())) {
                        if (other.expiry == holding.expiry && other.state == Holding.State.HELD) {
                            other.state = Holding.State.EVICTED;
                            other.endedAt = world.now();
                        }
                    }
                }
            }
        }
        return evicted;
    }

    /** The server has lost its state. */
    void forget() {
        era++;
        waiting.clear();
        holdings.values()
                .forEach(all -> all.forEach(holding -> {
                    if (holding.state == Holding.State.HELD) {
                        holding.state = Holding.State.FORGOTTEN;
                        holding.endedAt = world.now();
                    }
                }));
    }

    /** How many times the server has forgotten everything. */
    int era() {
        return era;
    }

    /** A client hears of a grant whether somebody waits for it; what the server said last counts. */
    void heard(String name, long epoch, boolean wanted, long serverNanos) {
        Holding holding = find(name, epoch);
        if (holding != null && serverNanos >= holding.wordOfNanos) {
            holding.wordOfNanos = serverNanos;
            holding.wantedHeardAt = wanted ? Math.min(holding.wantedHeardAt, world.now()) : Holding.NEVER;
        }
    }

    @Nullable
    Holding find(String name, long epoch) {
        List<Holding> all = of(name);
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).epoch == epoch) {
                return all.get(i);
            }
        }
        return null;
    }

    /** All grants of a name, in order. */
    List<Holding> of(String name) {
        return holdings.getOrDefault(name, List.of());
    }

    /** All names that were ever granted. */
    Iterable<String> names() {
        return holdings.keySet();
    }

    Waiting waiting() {
        return waiting;
    }

    /** Whether anybody held a name or stood in line for it at some moment since one of true time. */
    boolean wasInUseSince(String name, long since, long serverNanosThen) {
        for (Holding holding : of(name)) {
            if (holding.state == Holding.State.HELD
                    ? serverNanosThen < holding.expiry.nanos
                    : holding.endedAt >= since) {
                return true;
            }
        }
        return waiting.wasLineSince(name, since, serverNanosThen);
    }

    /** Units of a name that are held, by the server's clock. */
    long unitsHeld(String name, @Nullable OwnerId except, long now) {
        long units = 0;
        for (Holding holding : of(name)) {
            if (holding.isHeldAt(now) && !holding.owner().equals(except)) {
                units += holding.part.units();
            }
        }
        return units;
    }
}
