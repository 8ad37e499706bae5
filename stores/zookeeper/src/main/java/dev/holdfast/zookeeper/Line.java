package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * Everybody who holds or waits for one name, in order. The grant rule: the units of everyone ahead and one's own fit the
 * capacity. The first in line decides what the name is used as. Immutable.
 *
 * @param tickets in order
 */
record Line(List<Ticket> tickets) {
    static List<Ticket> parse(List<String> children) {
        List<Ticket> tickets = new ArrayList<>(children.size());
        for (String child : children) {
            Ticket ticket = Ticket.parse(child);
            if (ticket != null) {
                tickets.add(ticket);
            }
        }
        return tickets;
    }

    /** Brings the nodes of a name in order. Near the end of the server's counter that takes a look at each of them. */
    static Line of(String lock, List<String> children, Session session, Call call) throws KeeperException {
        List<Ticket> tickets = parse(children);
        boolean atTheEnd = false;
        for (Ticket ticket : tickets) {
            atTheEnd |= ticket.isAtTheEnd();
        }
        if (!atTheEnd) {
            return of(tickets);
        }
        List<CompletableFuture<Session.Node>> looks = tickets.stream()
                .map(ticket -> session.read(lock + "/" + ticket.node(), null))
                .toList();
        List<Ticket> timed = new ArrayList<>();
        for (int i = 0; i < looks.size(); i++) {
            try {
                timed.add(tickets.get(i).ordered(call.await(looks.get(i)).stat().getCzxid()));
            } catch (KeeperException.NoNodeException gone) {
                continue;
            }
        }
        return of(timed);
    }

    private static Line of(List<Ticket> unordered) {
        if (unordered.size() < 2) {
            return new Line(List.copyOf(unordered));
        }
        List<Ticket> sorted = new ArrayList<>(unordered);
        sorted.sort(Comparator.comparingLong(Ticket::order));
        return new Line(sorted);
    }

    /** Where a node stands, or -1. */
    int indexOf(String node) {
        for (int i = 0; i < tickets.size(); i++) {
            if (tickets.get(i).node().equals(node)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether whoever stands at an index has its units. */
    boolean fits(int index) {
        return !blocks(tickets.subList(0, index), tickets.get(index));
    }

    /** Whether some that are ahead leave too little for one behind them. Who is of another kind is about to go. */
    static boolean blocks(List<Ticket> ahead, Ticket mine) {
        long taken = mine.units();
        for (Ticket other : ahead) {
            if (!other.fits(mine)) {
                return true;
            }
            taken += other.units();
        }
        return taken > mine.capacity();
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
