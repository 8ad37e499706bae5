package dev.holdfast.simulation;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.LockTable;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ledger's account of who waits at the server, and who has left for good. */
final class Waiting {
    private final Map<OwnerId, Place> line = new LinkedHashMap<>();
    private final Map<OwnerId, Long> buried = new HashMap<>();
    private final Map<String, Long> leftAt = new HashMap<>();
    private final World world;
    private long arrivals;

    Waiting(World world) {
        this.world = world;
    }

    /** Whether somebody stood in line for a name at some moment since one of true time. */
    boolean wasLineSince(String name, long since, long serverNanosThen) {
        if (leftAt.getOrDefault(name, -1L) >= since) {
            return true;
        }
        for (Place place : line.values()) {
            if (units(place.claim, name) > 0 && serverNanosThen < place.untilNanos) {
                return true;
            }
        }
        return false;
    }

    /** A claim's place in line. */
    static final class Place {
        final Process client;
        final Claim claim;
        final long arrival;

        /** Until when the server remembers it, by its clock. */
        long untilNanos;

        private Place(Process client, Claim claim, long arrival) {
            this.client = client;
            this.claim = claim;
            this.arrival = arrival;
        }
    }

    /** A claim was told to wait: it keeps its place if it has one. */
    void enter(Process client, Claim claim, long now) {
        Place place = line.get(claim.owner());
        if (place == null || place.untilNanos <= now) {
            line.remove(claim.owner());
            place = new Place(client, claim, ++arrivals);
            line.put(claim.owner(), place);
        }
        place.untilNanos = now
                + Math.max(LockTable.WAITER_PATIENCE.toNanos(), claim.lease().toNanos());
    }

    void leave(OwnerId owner) {
        Place left = line.remove(owner);
        if (left != null) {
            left.claim.parts().forEach(part -> leftAt.put(part.name(), world.now()));
        }
    }

    void bury(OwnerId owner, long now) {
        buried.put(owner, now + LockTable.TOMBSTONE_LIFE.toNanos());
    }

    boolean isWithdrawn(OwnerId owner, long now) {
        Long until = buried.get(owner);
        return until != null && now < until;
    }

    void clear() {
        line.values().forEach(place -> place.claim.parts().forEach(part -> leftAt.put(part.name(), world.now())));
        line.clear();
        buried.clear();
    }

    @Nullable
    Claim claimOf(OwnerId owner) {
        Place place = line.get(owner);
        return place == null ? null : place.claim;
    }

    /** Whether a claim stands in line and was heard of not too long ago. */
    boolean isInLine(OwnerId owner, long now) {
        Place place = line.get(owner);
        return place != null && place.untilNanos > now;
    }

    Iterable<Place> places() {
        return line.values();
    }

    /** Why a claim may not be granted now: too many units are held or stand in line before it. Null if it may. */
    @Nullable
    String overbooked(Claim claim, Ledger ledger, long now) {
        Place own = line.get(claim.owner());
        long arrival = own == null || own.untilNanos <= now ? Long.MAX_VALUE : own.arrival;
        for (Claim.Part part : claim.parts()) {
            long held = ledger.unitsHeld(part.name(), claim.owner(), now);
            long ahead = 0;
            for (Place place : line.values()) {
                if (place.arrival < arrival && place.untilNanos > now) {
                    ahead += units(place.claim, part.name());
                }
            }
            if (held + ahead + part.units() > part.capacity()) {
                return held + " units of " + part.name() + " are held and " + ahead + " are wanted by earlier claims";
            }
        }
        return null;
    }

    private static long units(Claim claim, String name) {
        for (Claim.Part part : claim.parts()) {
            if (part.name().equals(name)) {
                return part.units();
            }
        }
        return 0;
    }
}
