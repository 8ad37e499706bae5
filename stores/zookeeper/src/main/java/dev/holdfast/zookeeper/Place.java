package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A claim of this client in the lines of its names: one node in each, made in one step by one session, which it belongs
 * to. Nobody can ever come to stand before it, so what it knows of those ahead only gets smaller. Thread-safe: guarded by
 * its own monitor, inside of which nothing is called.
 */
final class Place {
    private final Claim claim;
    private final Session session;

    /** The paths of the nodes of its names, one per part. */
    private final List<String> locks;

    private State state = State.ENTERING;

    /** The paths of its nodes, one per part; none while it is not known that they were made. */
    private List<String> nodes = List.of();

    private long epoch;

    /** One per part while waiting, none afterwards: its own ticket, and everybody who may still be ahead. */
    private List<Ticket> mine = List.of();

    private List<List<Ticket>> ahead = List.of();

    /** Paths of nodes ahead, or of its own, for which a watch is set or about to be. */
    private Set<String> watched = Set.of();

    /** Whether it has stood behind more than one other. */
    private boolean crowded;

    /** Whether it was arranged that the end of its node, or somebody who waits behind it, is told. */
    private boolean guarded;

    /** Whether the watch on the node of its name is set, and what was there then has been seen. */
    private boolean looked;

    /** Whether somebody waited when the nodes of its name were looked at last. */
    private boolean wanted;

    /** How many of its nodes were given back. */
    private int returned;

    /** Where a claim can stand. */
    enum State {
        /** Its nodes were asked for; whether they were made may be unknown. */
        ENTERING,
        WAITING,
        HELD,
        /** Being given back, or given up. */
        ENDED
    }

    Place(Claim claim, Session session, Layout layout) {
        this.claim = claim;
        this.session = session;
        this.locks = claim.parts().size() == 1
                ? List.of(layout.lock(claim.parts().get(0).name()))
                : claim.parts().stream().map(part -> layout.lock(part.name())).toList();
    }

    Claim claim() {
        return claim;
    }

    Session session() {
        return session;
    }

    /** The path of the node of a name, by its part. */
    String lock(int part) {
        return locks.get(part);
    }

    synchronized State state() {
        return state;
    }

    synchronized boolean isMade() {
        return !nodes.isEmpty();
    }

    synchronized List<String> nodes() {
        return nodes;
    }

    synchronized long epoch() {
        return epoch;
    }

    /** Its nodes were made; false if nobody wants them any more. */
    synchronized boolean made(List<String> paths, long zxid) {
        nodes = List.copyOf(paths);
        epoch = zxid;
        return state != State.ENDED;
    }

    /** Sees where it stands; true if it holds. */
    synchronized boolean see(List<Ticket> ownTickets, List<List<Ticket>> othersAhead) {
        if (state == State.ENDED) {
            return false;
        }
        mine = List.copyOf(ownTickets);
        ahead = new ArrayList<>();
        for (List<Ticket> others : othersAhead) {
            ahead.add(new ArrayList<>(others));
            crowded |= others.size() > 1;
        }
        if (state == State.HELD || fits()) {
            hold();
        } else {
            state = State.WAITING;
        }
        return state == State.HELD;
    }

    /** Those ahead do not matter any more, and there may be many leases, held for long. */
    private void hold() {
        state = State.HELD;
        mine = List.of();
        ahead = List.of();
    }

    /**
     * Of those ahead only these are left.
     *
     * @param nodesLeft by part
     * @return whether its own nodes are among them, if it still waits
     */
    synchronized boolean left(List<Set<String>> nodesLeft) {
        boolean there = true;
        for (int i = 0; there && i < mine.size(); i++) {
            Set<String> here = nodesLeft.get(i);
            ahead.get(i).removeIf(ticket -> !here.contains(ticket.node()));
            there = here.contains(mine.get(i).node());
        }
        return there;
    }

    /** Becomes the holder if nobody ahead is in the way any more; true if it has become so by this call. */
    synchronized boolean advance() {
        if (state != State.WAITING || !fits()) {
            return false;
        }
        hold();
        return true;
    }

    private boolean fits() {
        for (int i = 0; i < mine.size(); i++) {
            if (Line.blocks(ahead.get(i), mine.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The paths of whom to watch besides those that are watched already: of one line that is blocked, the fewest. */
    synchronized List<String> unwatchedBlockers() {
        for (int i = 0; state == State.WAITING && i < mine.size(); i++) {
            if (Line.blocks(ahead.get(i), mine.get(i))) {
                List<String> found = new ArrayList<>(1);
                for (Ticket blocker : Line.blockers(ahead.get(i), mine.get(i))) {
                    String path = locks.get(i) + "/" + blocker.node();
                    if (addWatched(path)) {
                        found.add(path);
                    }
                }
                return found;
            }
        }
        return List.of();
    }

    synchronized boolean watch(String path) {
        return state == State.HELD && addWatched(path);
    }

    /** Most watch one node at a time, and a set for more is ten times as large. */
    private boolean addWatched(String path) {
        if (watched.contains(path)) {
            return false;
        }
        if (watched.isEmpty()) {
            watched = Set.of(path);
            return true;
        }
        if (watched.size() == 1) {
            watched = new HashSet<>(watched);
        }
        return watched.add(path);
    }

    /** Whether it is known who waits, and a change of that would be told; a watch that is only asked for does not count. */
    synchronized boolean knowsOthers() {
        return looked;
    }

    /** Whether it stood behind several, so that there are probably others behind it by now. */
    synchronized boolean isCrowded() {
        return crowded;
    }

    /** Notes that it is guarded; false if it was before. */
    synchronized boolean guard() {
        boolean first = !guarded;
        guarded = true;
        return first;
    }

    synchronized void sawOthers(boolean waiting) {
        wanted = waiting;
        looked = watched.contains(locks.get(0));
    }

    synchronized boolean isWanted() {
        return wanted;
    }

    synchronized void unwatch(String path) {
        if (watched.size() > 1) {
            watched.remove(path);
        } else if (watched.contains(path)) {
            watched = Set.of();
        }
        looked &= !path.equals(locks.get(0));
    }

    /** Ends it, so that nothing is told of it any more; returns what it had watched. */
    synchronized Set<String> end() {
        state = State.ENDED;
        Set<String> paths = watched;
        watched = Set.of();
        return paths;
    }

    /** Whether it holds what a grant speaks of; then the path of the node, otherwise an empty text. */
    synchronized String nodeOf(Grant grant) {
        if (epoch != grant.epoch() || nodes.isEmpty() || (state != State.HELD && state != State.ENDED)) {
            return "";
        }
        for (int i = 0; i < nodes.size(); i++) {
            if (claim.parts().get(i).name().equals(grant.name())) {
                return nodes.get(i);
            }
        }
        return "";
    }

    /** One of its nodes is gone; true if that was the last. */
    synchronized boolean gaveBack() {
        return ++returned >= nodes.size();
    }

    /** What the engine is told when it holds. */
    List<Grant> grants(List<Boolean> wanted) {
        Duration trust = session.trust();
        Duration validFor = trust.compareTo(claim.lease()) < 0 ? trust : claim.lease();
        long zxid = epoch();
        List<Grant> grants = new ArrayList<>(claim.parts().size());
        for (int i = 0; i < claim.parts().size(); i++) {
            grants.add(new Grant(
                    claim.parts().get(i).name(),
                    claim.owner(),
                    zxid,
                    claim.lease(),
                    validFor,
                    session.name(),
                    wanted.get(i)));
        }
        return grants;
    }

    /** Whether threads of its client can pass it on, so that it matters whether somebody waits. */
    boolean isPassedOn() {
        return claim.parts().size() == 1 && claim.parts().get(0).exclusive();
    }
}
