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
    private State state = State.ENTERING;

    /** The paths of its nodes, one per part; none while it is not known that they were made. */
    private List<String> nodes = List.of();

    private long epoch;

    /** One per part while waiting: its own ticket, and everybody who may still be ahead. */
    private List<Ticket> mine = List.of();

    private List<List<Ticket>> ahead = List.of();

    /** Paths of nodes ahead, or of its own, for which a watch is set or about to be. */
    private final Set<String> watched = new HashSet<>();

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

    Place(Claim claim, Session session) {
        this.claim = claim;
        this.session = session;
    }

    Claim claim() {
        return claim;
    }

    Session session() {
        return session;
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
        othersAhead.forEach(each -> ahead.add(new ArrayList<>(each)));
        if (state != State.HELD) {
            state = fits() ? State.HELD : State.WAITING;
        }
        return state == State.HELD;
    }

    /** A node that was ahead is gone. */
    synchronized void gone(int part, String node) {
        if (part < ahead.size()) {
            ahead.get(part).removeIf(ticket -> ticket.node().equals(node));
        }
    }

    /** The first part in whose line it is blocked and several may still be ahead, or -1. */
    synchronized int crowdedPart() {
        for (int i = 0; state == State.WAITING && i < mine.size(); i++) {
            if (Line.blocks(ahead.get(i), mine.get(i))) {
                return ahead.get(i).size() > 1 ? i : -1;
            }
        }
        return -1;
    }

    /** Of those ahead only these are left. */
    synchronized void left(int part, Set<String> nodesLeft) {
        if (part < ahead.size()) {
            ahead.get(part).removeIf(ticket -> !nodesLeft.contains(ticket.node()));
        }
    }

    /** Becomes the holder if nobody ahead is in the way any more; true if it has become so by this call. */
    synchronized boolean advance() {
        if (state != State.WAITING || !fits()) {
            return false;
        }
        state = State.HELD;
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

    /** A node to be watched, and the part of the claim in whose line it stands. */
    record Blocker(int part, String node, String path) {}

    /** Whom to watch besides those that are watched already: of one line that is blocked, the fewest. */
    synchronized List<Blocker> unwatchedBlockers(Layout layout) {
        for (int i = 0; state == State.WAITING && i < mine.size(); i++) {
            if (Line.blocks(ahead.get(i), mine.get(i))) {
                String lock = layout.lock(claim.parts().get(i).name());
                List<Blocker> found = new ArrayList<>();
                for (Ticket blocker : Line.blockers(ahead.get(i), mine.get(i))) {
                    String path = lock + "/" + blocker.node();
                    if (watched.add(path)) {
                        found.add(new Blocker(i, blocker.node(), path));
                    }
                }
                return found;
            }
        }
        return List.of();
    }

    synchronized boolean watch(String path) {
        return state == State.HELD && watched.add(path);
    }

    /** Whether a change of what is below a path would be told. */
    synchronized boolean isWatched(String path) {
        return watched.contains(path);
    }

    synchronized void sawOthers(boolean waiting) {
        wanted = waiting;
    }

    synchronized boolean isWanted() {
        return wanted;
    }

    synchronized void unwatch(String path) {
        watched.remove(path);
    }

    /** Ends it, so that nothing is told of it any more; returns what it had watched. */
    synchronized Set<String> end() {
        state = State.ENDED;
        Set<String> paths = Set.copyOf(watched);
        watched.clear();
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
