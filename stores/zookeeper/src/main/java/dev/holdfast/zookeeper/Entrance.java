package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/** How claims come to stand in line, find out where they stand, and leave. Thread-safe. */
final class Entrance {
    private static final int MOST_ATTEMPTS = 8;
    private static final int ASKS_PER_TRUST = 3;
    private static final Duration LONGEST_HINT = Duration.ofSeconds(5);

    private final Layout layout;
    private final OwnNodes own;
    private final Connection connection;
    private final Watches watches;
    private final Map<OwnerId, Place> places;

    Entrance(Layout layout, Connection connection, Watches watches, Map<OwnerId, Place> places) {
        this.layout = layout;
        this.own = new OwnNodes(layout);
        this.connection = connection;
        this.watches = watches;
        this.places = places;
    }

    /** Tries a claim, or asks again for one that is known. If its session ends meanwhile, once more in the next one. */
    AcquireOutcome acquire(Claim claim, Session session, Call call) {
        try {
            return attempt(claim, session, call);
        } catch (KeeperException.SessionExpiredException over) {
            // Whatever it has made is gone with the session, so that this is not an unknown outcome.
            connection.expired(session);
            Session next = connection.ready(call);
            try {
                return attempt(claim, next, call);
            } catch (KeeperException failed) {
                throw connection.failure(failed, next, call);
            }
        } catch (KeeperException failed) {
            throw connection.failure(failed, session, call);
        }
    }

    private AcquireOutcome attempt(Claim claim, Session session, Call call) throws KeeperException {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            Place known = places.get(claim.owner());
            AcquireOutcome outcome =
                    known == null ? enter(claim, session, call) : askAgain(known, claim, session, call);
            if (outcome != null) {
                return outcome;
            }
        }
        throw call.unavailable(new IllegalStateException("the node of the claim was deleted again and again"));
    }

    /** Makes the nodes of a claim and lists their lines; null if they were gone again. */
    private @Nullable AcquireOutcome enter(Claim claim, Session session, Call call) throws KeeperException {
        Place place = begin(claim, session, call);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            CompletableFuture<?> made = make(place);
            List<CompletableFuture<List<String>>> lists = claim.parts().size() == 1 && attempt == 0
                    ? List.of(session.childrenNow(place.lock(0), call))
                    : list(claim, session);
            try {
                return entered(place, made, lists, call);
            } catch (KeeperException.NoNodeException missing) {
                if (place.isMade()) {
                    forget(place);
                    return null;
                }
                makeLocks(claim, session, call);
            }
        }
        throw call.unavailable(new IllegalStateException("the node of the name was deleted again and again"));
    }

    /** Notes that a claim is about to enter. */
    Place begin(Claim claim, Session session, Call call) {
        Badge.refuseIfTooLarge(claim);
        Place place = new Place(claim, session, layout);
        places.put(claim.owner(), place);
        if (connection.isClosed()) {
            // In this order: whoever closes the store looks for places after it has said that it is closed.
            places.remove(claim.owner());
            throw call.unavailable(new IllegalStateException("the store is closed"));
        }
        return place;
    }

    /** The outcome of a claim whose nodes were asked for, or checked, before its lines were listed; null if they are gone. */
    @Nullable
    AcquireOutcome entered(
            Place place, CompletableFuture<?> made, List<CompletableFuture<List<String>>> lists, Call call)
            throws KeeperException {
        // The last answer comes last: waiting for it first means to wait once.
        call.settle(lists.get(lists.size() - 1));
        call.await(made);
        checkEpoch(place);
        return judge(place, place.claim(), await(lists, call), call);
    }

    /** Asks for the nodes. Should the answer come after everybody has gone, they are deleted again. */
    CompletableFuture<?> make(Place place) {
        Claim claim = place.claim();
        Session session = place.session();
        if (claim.parts().size() == 1) {
            Claim.Part part = claim.parts().get(0);
            return session.create(
                    place.lock(0) + "/" + Ticket.prefix(claim, part),
                    Badge.of(claim, part),
                    connection.acl(),
                    CreateMode.EPHEMERAL_SEQUENTIAL,
                    node -> made(place, List.of(node.path()), node.stat().getCzxid()));
        }
        List<Op> creations = new ArrayList<>();
        for (int i = 0; i < claim.parts().size(); i++) {
            Claim.Part part = claim.parts().get(i);
            creations.add(Op.create(
                    place.lock(i) + "/" + Ticket.prefix(claim, part),
                    Badge.of(claim, part),
                    connection.acl(),
                    CreateMode.EPHEMERAL_SEQUENTIAL));
        }
        // The answer does not tell the transaction, which is the same for all: one of the nodes does.
        return session.multi(creations).thenCompose(results -> {
            List<String> paths = results.stream()
                    .map(result -> ((OpResult.CreateResult) result).getPath())
                    .toList();
            return session.read(paths.get(0), null)
                    .thenApply(node -> made(place, paths, node.stat().getCzxid()));
        });
    }

    private Place made(Place place, List<String> paths, long zxid) {
        if (!place.made(paths, zxid)) {
            paths.forEach(place.session()::delete);
        }
        return place;
    }

    private void checkEpoch(Place place) {
        if (place.epoch() >= Grant.EPOCH_LIMIT) {
            forget(place);
            throw new StoreMisconfiguredException("the ensemble has had more than half a million leaders, and its"
                    + " transaction numbers do not fit a fencing token any more; start a new ensemble with an empty"
                    + " tree, and new names for what its tokens guard");
        }
    }

    /** The nodes of the names are containers, which the server deletes some time after the last node in them is gone. */
    private void makeLocks(Claim claim, Session session, Call call) throws KeeperException {
        List<CompletableFuture<Session.Made>> answers = new ArrayList<>();
        for (Claim.Part part : claim.parts()) {
            answers.add(session.create(layout.lock(part.name()), new byte[0], connection.acl(), CreateMode.CONTAINER));
        }
        for (CompletableFuture<Session.Made> answer : answers) {
            try {
                call.await(answer);
            } catch (KeeperException.NodeExistsException already) {
                continue;
            } catch (KeeperException.NoNodeException noTree) {
                connection.forgetTree();
                connection.ready(call);
            }
        }
    }

    private List<CompletableFuture<List<String>>> list(Claim claim, Session session) {
        return claim.parts().stream()
                .map(part -> session.children(layout.lock(part.name()), null))
                .toList();
    }

    static <T> List<T> await(List<? extends CompletableFuture<? extends T>> answers, Call call) throws KeeperException {
        List<T> values = new ArrayList<>(answers.size());
        for (CompletableFuture<? extends T> answer : answers) {
            values.add(call.await(answer));
        }
        return values;
    }

    /** Finds out where a known claim stands; null if it has dropped out and has to enter anew. */
    private @Nullable AcquireOutcome askAgain(Place place, Claim claim, Session session, Call call)
            throws KeeperException {
        if (place.session() != session || place.state() == Place.State.ENDED) {
            own.sweep(claim, session, call);
            forget(place);
            return null;
        }
        if (!place.isMade() && !recover(place, call)) {
            return null;
        }
        // A check goes through the leader, and so proves that the session lives; what is listed after it is no older.
        CompletableFuture<Void> checked = session.check(place.nodes());
        List<CompletableFuture<List<String>>> lists = list(claim, session);
        call.settle(lists.get(lists.size() - 1));
        try {
            call.await(checked);
            return judge(place, claim, await(lists, call), call);
        } catch (KeeperException.NoNodeException dropped) {
            forget(place);
            return null;
        }
    }

    /** Decides about a claim by the lines it stands in; null if it does not stand in one of them any more. */
    private @Nullable AcquireOutcome judge(Place place, Claim claim, List<List<String>> children, Call call)
            throws KeeperException {
        List<Ticket> mine = new ArrayList<>();
        List<List<Ticket>> ahead = new ArrayList<>();
        List<Boolean> wanted = new ArrayList<>();
        List<String> nodes = place.nodes();
        for (int i = 0; i < children.size(); i++) {
            Claim.Part part = claim.parts().get(i);
            Line line = Line.of(place.lock(i), children.get(i), place.session(), call);
            int index = line.indexOf(nodes.get(i).substring(nodes.get(i).lastIndexOf('/') + 1));
            if (index < 0) {
                OwnNodes.delete(nodes, place.session(), call);
                forget(place);
                return null;
            }
            String mismatch = line.mismatch(part);
            if (mismatch != null) {
                leave(claim, place, place.session(), call);
                return new AcquireOutcome.Mismatch(mismatch);
            }
            deleteStrays(place, line, nodes.get(i));
            mine.add(line.tickets().get(index));
            ahead.add(line.tickets().subList(0, index));
            wanted.add(line.isWanted(index));
        }
        boolean waited = place.state() != Place.State.ENTERING;
        if (place.see(mine, ahead)) {
            watches.guard(place);
            return new AcquireOutcome.Granted(place.grants(wanted));
        }
        if (!claim.queue() && !waited) {
            leave(claim, place, place.session(), call);
        } else {
            watches.follow(place);
        }
        return contended(place.session());
    }

    private static AcquireOutcome contended(Session session) {
        Duration hint = session.trust().dividedBy(ASKS_PER_TRUST);
        return new AcquireOutcome.Contended(hint.compareTo(LONGEST_HINT) < 0 ? hint : LONGEST_HINT);
    }

    /** A node of the same owner besides its own is what a request left whose answer was lost. */
    private void deleteStrays(Place place, Line line, String own) {
        String lock = own.substring(0, own.lastIndexOf('/') + 1);
        String owner = place.claim().owner().toString();
        for (Ticket ticket : line.tickets()) {
            if (ticket.owner().equals(owner) && !own.equals(lock + ticket.node())) {
                place.session().delete(lock + ticket.node());
            }
        }
    }

    /**
     * Finds the nodes of a claim whose answer was lost. The oldest set that one transaction of this session made is kept,
     * everything else of the owner is deleted.
     *
     * @return false if there is none, so that the claim has to enter anew
     */
    private boolean recover(Place place, Call call) throws KeeperException {
        Claim claim = place.claim();
        Session session = place.session();
        List<String> all = own.find(claim, session, call);
        TreeMap<Long, List<String>> byTransaction = new TreeMap<>();
        Map<String, CompletableFuture<Session.Node>> looks = new HashMap<>();
        all.forEach(path -> looks.put(path, session.read(path, null)));
        for (String path : all) {
            try {
                Session.Node node = call.await(looks.getOrDefault(path, new CompletableFuture<>()));
                if (node.stat().getEphemeralOwner() == session.id()) {
                    byTransaction
                            .computeIfAbsent(node.stat().getCzxid(), key -> new ArrayList<>())
                            .add(path);
                }
            } catch (KeeperException.NoNodeException gone) {
                continue;
            }
        }
        Optional<Map.Entry<Long, List<String>>> kept = byTransaction.entrySet().stream()
                .filter(made -> made.getValue().size() == claim.parts().size())
                .findFirst();
        List<String> keep = kept.map(Map.Entry::getValue).orElse(List.of());
        OwnNodes.delete(all.stream().filter(path -> !keep.contains(path)).toList(), session, call);
        if (kept.isEmpty()) {
            forget(place);
            return false;
        }
        place.made(keep, kept.get().getKey());
        return true;
    }

    /**
     * Leaves every line.
     *
     * @param place where its nodes are, if that is all there can be; null to look for them
     */
    void leave(Claim claim, @Nullable Place place, Session session, Call call) {
        try {
            if (place != null) {
                watches.forget(place);
            }
            if (place != null && place.isMade() && place.session() == session) {
                OwnNodes.delete(place.nodes(), session, call);
                OwnNodes.resetCounters(place, session);
            } else {
                own.sweep(claim, session, call);
            }
            places.remove(claim.owner());
        } catch (KeeperException failed) {
            throw connection.failure(failed, session, call);
        }
    }

    void forget(Place place) {
        watches.forget(place);
        places.remove(place.claim().owner(), place);
    }
}
