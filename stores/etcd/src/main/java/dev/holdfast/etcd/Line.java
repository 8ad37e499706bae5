package dev.holdfast.etcd;

import dev.holdfast.spi.Claim;
import io.etcd.jetcd.api.KeyValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everybody who holds or waits for one name, in order. The grant rule: the units of everyone ahead and one's own fit the
 * capacity. The first in line decides what the name is used as. Immutable.
 *
 * @param tickets in order of arrival
 */
record Line(List<Ticket> tickets) {
    static Line of(List<KeyValue> entries) {
        return new Line(Ticket.readAll(entries));
    }

    /** Where an owner stands, or -1. */
    int indexOf(String owner) {
        for (int i = 0; i < tickets.size(); i++) {
            if (tickets.get(i).owner().equals(owner)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether a key of a place is here, whoever made it. */
    boolean hasKeyOf(Place place) {
        return tickets.stream().anyMatch(ticket -> place.keys().contains(ticket.key()));
    }

    /** Whether whoever stands at an index has its units. */
    boolean fits(int index) {
        Ticket mine = tickets.get(index);
        return !blocks(tickets.subList(0, index), mine.units(), mine.capacity(), mine);
    }

    /** Whether somebody who comes now would have its units at once; of the same kind as the others, see {@link #mismatch}. */
    boolean hasRoomFor(Claim.Part part) {
        long taken = part.units();
        for (Ticket other : tickets) {
            taken += other.units();
        }
        return taken <= part.capacity();
    }

    /** Whether some that are ahead leave too little for one behind them. Who is of another kind is about to go. */
    static boolean blocks(List<Ticket> ahead, Ticket mine) {
        return blocks(ahead, mine.units(), mine.capacity(), mine);
    }

    private static boolean blocks(List<Ticket> ahead, int units, int capacity, Ticket mine) {
        long taken = units;
        for (Ticket other : ahead) {
            if (!other.fits(mine)) {
                return true;
            }
            taken += other.units();
        }
        return taken > capacity;
    }

    /**
     * The fewest that have to be watched: as long as all of them stay, there is no room. Taken from the nearest on, so
     * that in a line for an exclusive lock everybody watches another one.
     */
    static List<Ticket> blockers(List<Ticket> ahead, Ticket mine) {
        List<Ticket> chosen = new ArrayList<>();
        long taken = mine.units();
        for (int i = ahead.size() - 1; i >= 0 && taken <= mine.capacity(); i--) {
            Ticket other = ahead.get(i);
            if (!other.fits(mine)) {
                return List.of(other);
            }
            chosen.add(other);
            taken += other.units();
        }
        for (int i = 0; i < chosen.size(); ) {
            if (taken - chosen.get(i).units() > mine.capacity()) {
                taken -= chosen.remove(i).units();
            } else {
                i++;
            }
        }
        return chosen;
    }

    /** Whether somebody waits behind an index: stays in line without having its units. */
    boolean isWanted(int index) {
        long taken = 0;
        for (int i = 0; i < tickets.size(); i++) {
            Ticket ticket = tickets.get(i);
            boolean mismatched = !ticket.fits(tickets.get(0));
            taken += mismatched ? 0 : ticket.units();
            if (i > index && !mismatched && ticket.waits() && taken > ticket.capacity()) {
                return true;
            }
        }
        return false;
    }

    /** Why a claim cannot stand in this line, or null. */
    @Nullable
    String mismatch(Claim.Part part) {
        if (tickets.isEmpty()) {
            return null;
        }
        Ticket head = tickets.get(0);
        if (head.kind() == part.kind() && head.capacity() == part.capacity()) {
            return null;
        }
        return "'" + part.name() + "' is in use as " + head.kind() + " of capacity " + head.capacity()
                + ", but was asked for as " + part.kind() + " of capacity " + part.capacity()
                + "; use one kind and capacity for a name, or another name";
    }
}
