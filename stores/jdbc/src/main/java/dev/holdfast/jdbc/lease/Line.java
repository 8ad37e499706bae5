package dev.holdfast.jdbc.lease;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One name: its row, locked by the transaction at hand, and its entries in the claim table. Whoever holds all units
 * stands in the row, so that an uncontended lock needs one row only. Used by the thread of its transaction.
 */
final class Line {
    private static final Comparator<Entry> ARRIVAL =
            Comparator.<Entry>comparingLong(entry -> entry.arrival).thenComparing(entry -> entry.owner.toString());

    /** There are entries. */
    static final int TOLD = 1;

    /** There are entries, and whoever comes next has to tell the holder that somebody waits. */
    static final int UNTOLD = 2;

    final String name;
    LockKind kind = LockKind.EXCLUSIVE;
    int capacity = 1;

    /** Who holds everything; null if nobody does. */
    @Nullable
    OwnerId owner;

    /** The last epoch that was given on this name. */
    long epoch;

    /** When the holder of everything loses it; 0 without one. */
    long expires;

    long lease;
    long since;
    Entry.@Nullable Party party;

    @Nullable
    Eviction eviction;

    /** Whether the row in the table says that there are entries. */
    boolean crowdedInTable;

    /** Whether the row has to be written. */
    boolean changed;

    /** Whether those who hold it have not been told that somebody waits, because this client tells nobody anything. */
    boolean untold;

    /** Whether all that has to be written is that nobody holds everything any more. */
    boolean vacated;

    /** In order of arrival. */
    final List<Entry> entries = new ArrayList<>();

    final List<Entry> removed = new ArrayList<>();

    /** The last forced release. */
    record Eviction(long low, long high, long at, String by, String reason) {}

    Line(String name) {
        this.name = name;
    }

    void sort() {
        entries.sort(ARRIVAL);
    }

    boolean isCrowded() {
        return !entries.isEmpty();
    }

    /** Whether a client that is another one holds everything, or there are entries, of whatever client. */
    boolean concernsOthersThan(String client) {
        Entry.Party holder = party;
        return isCrowded()
                || (owner != null && holder != null && !holder.client().equals(client));
    }

    boolean isHeldBy(OwnerId who) {
        return who.equals(owner);
    }

    /** The entry of an owner, of whatever state. */
    @Nullable
    Entry entryOf(OwnerId who) {
        for (Entry entry : entries) {
            if (entry.owner.equals(who)) {
                return entry;
            }
        }
        return null;
    }

    /** The grant rule: the units of everyone ahead of the claim, and its own, fit the capacity. */
    boolean fits(int units, long arrival, @Nullable OwnerId who) {
        long taken = units;
        if (owner != null) {
            taken += capacity;
        }
        for (Entry entry : entries) {
            boolean ahead = entry.state == Entry.State.HOLDING
                    || (entry.state == Entry.State.WAITING && entry.arrival < arrival && !entry.owner.equals(who));
            if (ahead) {
                taken += entry.units;
            }
        }
        return taken <= capacity;
    }

    /** Whether the name is in use, and as something else. */
    boolean mismatches(Claim.Part part) {
        return isInUse() && (kind != part.kind() || capacity != part.capacity());
    }

    boolean isInUse() {
        return owner != null || entries.stream().anyMatch(Entry::takesUnits);
    }

    boolean isWanted() {
        return entries.stream().anyMatch(entry -> entry.state == Entry.State.WAITING);
    }

    /** Becomes what a claim uses it as, if nobody uses it. */
    void adopt(Claim.Part part) {
        if (!isInUse() && (kind != part.kind() || capacity != part.capacity())) {
            kind = part.kind();
            capacity = part.capacity();
            changed = true;
        }
    }

    void dropExpired(long now) {
        if (owner != null && expires <= now) {
            vacate();
        }
        for (Entry entry : List.copyOf(entries)) {
            if (entry.expires <= now) {
                remove(entry);
            }
        }
    }

    /** Takes the name from whoever holds everything. */
    void vacate() {
        owner = null;
        expires = 0;
        party = null;
        vacated = true;
    }

    /** What the row says of the line: 0 that there are no entries; others read whatever else as that there are some. */
    int crowding() {
        return !isCrowded() ? 0 : untold ? UNTOLD : TOLD;
    }

    boolean isToBeWritten() {
        return changed || vacated || isCrowded() != crowdedInTable;
    }

    /** Whether one statement that writes nothing else can write several of these. */
    boolean isFreeAndNothingElse() {
        return !changed && vacated && !isCrowded();
    }

    void remove(Entry entry) {
        entries.remove(entry);
        if (!entry.fresh) {
            removed.add(entry);
        }
    }

    void add(Entry entry) {
        entries.add(entry);
        sort();
    }

    /** Grants what an entry asks for, whether it stood in line or not. */
    long grant(Entry entry, DatabaseTime time, long leaseMicros) {
        long now = time.now();
        epoch = Math.max(epoch + 1, time.start());
        changed = true;
        if (entry.units == capacity) {
            remove(entry);
            owner = entry.owner;
            expires = now + leaseMicros;
            lease = entry.lease;
            since = now;
            party = entry.party;
        } else {
            if (!entries.contains(entry)) {
                entries.add(entry);
            }
            entry.state = Entry.State.HOLDING;
            entry.epoch = epoch;
            entry.expires = now + leaseMicros;
            entry.since = now;
            entry.changed = true;
        }
        return epoch;
    }

    /** How long until the first holder's lease ends, in microseconds. */
    long untilFirstExpiry(long now, long atMost) {
        long hint = owner != null ? Math.min(atMost, expires - now) : atMost;
        for (Entry entry : entries) {
            if (entry.state == Entry.State.HOLDING) {
                hint = Math.min(hint, entry.expires - now);
            }
        }
        return hint;
    }
}
