package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A claim of this client in the lines of its names: one key in each, made by one transaction, in one session, which it
 * belongs to. Nobody can ever come to stand before it. Thread-safe: guarded by its own monitor, inside of which nothing is
 * called.
 */
final class Place {
    private final Claim claim;
    private final Session session;
    private final KeyIds.Id id;
    private final List<String> names;
    private final List<ByteString> keys;
    private final String owner;

    private State state = State.ENTERING;

    /** The transaction that made its keys, 0 while that is not known; and the offset for its epoch. */
    private long revision;

    private long offset;

    /** The newest revision at which its lines were read. */
    private long seenRevision;

    /** Something may have happened to its lines at this revision, so they have to be seen as they were then, or later. */
    private long neededRevision;

    /** Those whose staying means that there is no room, while it waits. */
    private Set<ByteString> blockers = Set.of();

    /** The watches that are set for it, by what they watch. */
    private final Map<ByteString, Long> watches = new HashMap<>();

    /** A request of it was not answered, so that one may still arrive that makes or deletes its keys. */
    private boolean mayStillArrive;

    /** A request that asks for it has begun to delete its keys. */
    private boolean left;

    private boolean wanted;
    private boolean looking;

    /** How many of its keys were given back. */
    private int returned;

    /** Where a claim can stand. */
    enum State {
        /** Its keys were asked for; whether they were made may be unknown. */
        ENTERING,
        WAITING,
        HELD,
        /** Being given back, or given up. */
        ENDED
    }

    /** What a look at its lines has shown. */
    enum Sight {
        /** Its keys are not there any more. */
        GONE,
        /** It has to wait. */
        BLOCKED,
        /** It holds since this look. */
        NOW_HELD,
        /** It held before. */
        STILL_HELD,
        /** Nothing: it has ended, or newer things were seen before. */
        NOTHING
    }

    Place(Claim claim, Session session, KeyIds.Id id, Layout layout) {
        this.claim = claim;
        this.session = session;
        this.id = id;
        this.names = claim.parts().stream().map(Claim.Part::name).toList();
        this.keys = names.stream().map(name -> layout.lock(name, id)).toList();
        this.owner = claim.owner().toString();
    }

    Claim claim() {
        return claim;
    }

    Session session() {
        return session;
    }

    /** What its keys end with. */
    KeyIds.Id id() {
        return id;
    }

    List<String> names() {
        return names;
    }

    List<ByteString> keys() {
        return keys;
    }

    String owner() {
        return owner;
    }

    synchronized State state() {
        return state;
    }

    /** Something may have happened at a revision; true if its lines were not seen since. */
    synchronized boolean hasToSee(long atRevision) {
        neededRevision = Math.max(neededRevision, atRevision);
        return isBehind();
    }

    private synchronized boolean isBehind() {
        return state != State.ENDED && seenRevision < neededRevision;
    }

    /** Whether what its lines were at a revision tells too little: that read was older than an event, or than another read. */
    synchronized boolean needsNewerThan(long atRevision) {
        return atRevision < Math.max(seenRevision, neededRevision);
    }

    synchronized long revision() {
        return revision;
    }

    synchronized long epoch() {
        return revision + offset;
    }

    /** Its keys are there. */
    synchronized void made(long byRevision, long withOffset) {
        revision = byRevision;
        offset = withOffset;
        seenRevision = Math.max(seenRevision, byRevision);
    }

    /** A request that makes its keys, or deletes them whoever has made them, was not answered or will be repeated. */
    synchronized void repeats() {
        mayStillArrive = true;
    }

    /** Whether a request of it may make or delete its keys when it has ended. */
    synchronized boolean mayStillArrive() {
        return mayStillArrive;
    }

    /** Its keys are about to be deleted by a request that asks for it: whoever asks again has to enter anew. */
    synchronized void leaves() {
        left = true;
    }

    /** Whether its keys were made in a session, and no request that asks for it has begun to delete them. */
    synchronized boolean standsIn(Session one) {
        return session == one && revision != 0 && !left;
    }

    /** It was made where there was room for it. */
    synchronized boolean hold() {
        if (state == State.ENDED) {
            return false;
        }
        state = State.HELD;
        return true;
    }

    /** Sees its lines as they were at a revision. */
    synchronized Sight see(List<Line> lines, long atRevision) {
        if (state == State.ENDED || revision == 0 || atRevision < seenRevision) {
            return Sight.NOTHING;
        }
        seenRevision = atRevision;
        List<Integer> places = new ArrayList<>(lines.size());
        for (Line line : lines) {
            int index = line.indexOf(owner);
            if (index < 0 || line.tickets().get(index).revision() != revision) {
                return Sight.GONE;
            }
            places.add(index);
        }
        wanted = isPassedOn() && lines.get(0).isWanted(places.get(0));
        if (state == State.HELD) {
            return Sight.STILL_HELD;
        }
        for (int i = 0; i < lines.size(); i++) {
            List<Ticket> tickets = lines.get(i).tickets();
            Ticket mine = tickets.get(places.get(i));
            List<Ticket> ahead = tickets.subList(0, places.get(i));
            if (Line.blocks(ahead, mine)) {
                state = State.WAITING;
                blockers = Set.copyOf(
                        Line.blockers(ahead, mine).stream().map(Ticket::key).toList());
                return Sight.BLOCKED;
            }
        }
        state = State.HELD;
        blockers = Set.of();
        return Sight.NOW_HELD;
    }

    /** Whom to watch besides those that are watched already. */
    synchronized List<ByteString> unwatchedBlockers() {
        return state != State.WAITING
                ? List.of()
                : blockers.stream().filter(key -> !watches.containsKey(key)).toList();
    }

    /** Watches of those who are not in its way any more. */
    synchronized List<Long> needlessWatches() {
        if (state == State.ENDED) {
            return List.of();
        }
        List<Long> needless = new ArrayList<>();
        watches.entrySet().removeIf(watch -> {
            boolean needed = state == State.WAITING
                    ? blockers.contains(watch.getKey())
                    : !names.isEmpty() && isGuard(watch.getKey());
            if (!needed) {
                needless.add(watch.getValue());
            }
            return !needed;
        });
        return needless;
    }

    /** A holder watches its own keys, or the beginning of its line. */
    private boolean isGuard(ByteString key) {
        return keys.contains(key) || keys.get(0).startsWith(key);
    }

    /** Notes a watch; false if it is not needed. */
    synchronized boolean watch(ByteString key, long id) {
        return state != State.ENDED && watches.putIfAbsent(key, id) == null;
    }

    synchronized void unwatch(ByteString key, long id) {
        watches.remove(key, id);
    }

    /** Ends it, so that nothing is told of it any more; returns its watches. */
    synchronized List<Long> end() {
        state = State.ENDED;
        List<Long> ids = List.copyOf(watches.values());
        watches.clear();
        return ids;
    }

    /** Whether to look at its lines now; otherwise somebody does, and will once more if that was too early. */
    synchronized boolean beginLook() {
        boolean begin = !looking && state != State.ENDED;
        looking |= begin;
        return begin;
    }

    /** A look is over; true if there has to be another. */
    synchronized boolean endLook() {
        looking = false;
        return isBehind();
    }

    synchronized boolean isWanted() {
        return wanted;
    }

    /** Notes that somebody waits; true if that is news to a holder. */
    synchronized boolean becameWanted() {
        boolean news = !wanted && state == State.HELD;
        wanted = true;
        return news;
    }

    /** What a grant speaks of, or null. */
    synchronized Transactions.@Nullable Made of(Grant grant) {
        int index = names.indexOf(grant.name());
        return index < 0 || revision == 0 || epoch() != grant.epoch()
                ? null
                : new Transactions.Made(keys.get(index), revision);
    }

    /** One of its keys is gone; true if that was the last. */
    synchronized boolean gaveBack() {
        return ++returned >= keys.size();
    }

    /** What the engine is told when it holds; its time is counted from a moment. */
    List<Grant> grants(long fromNanos) {
        long epoch = epoch();
        boolean others = isWanted();
        List<Grant> grants = new ArrayList<>(names.size());
        for (String name : names) {
            grants.add(new Grant(
                    name,
                    claim.owner(),
                    epoch,
                    claim.lease(),
                    session.validFor(fromNanos, claim.lease()),
                    session.name(),
                    others));
        }
        return grants;
    }

    /** Whether threads of its client can pass it on, so that it matters whether somebody waits. */
    boolean isPassedOn() {
        return claim.parts().size() == 1 && claim.parts().get(0).exclusive();
    }
}
