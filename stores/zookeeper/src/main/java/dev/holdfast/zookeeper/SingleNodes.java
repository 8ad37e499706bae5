package dev.holdfast.zookeeper;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * The tree of the simple mode: {@code BASE/locks/NAME/holder}, which one claim at a time can make, and beside it a stub
 * that is named after the claim. The version of the name's node counts those who took it, and every step compares it. The
 * count begins anew when the server has cleared away an unused name; the stub is what prevents that as long as the claim
 * goes by a count, and it is what a step of a claim that has lost everything does not find. Thread-safe.
 */
final class SingleNodes {
    private static final String HOLDER = "/holder";
    private static final String STUB = "/of-";

    /** Of the steps that take a name: holder, stub, count. */
    private static final int STEPS = 3;

    private static final int MOST_ATTEMPTS = 8;
    private static final int MOST_KNOWN = 10_000;

    private final Layout layout;
    private final Connection connection;

    /** What the nodes of names held when they were seen last, so that most claims need one request. */
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    private record Known(byte[] data, int version) {}

    SingleNodes(Layout layout, Connection connection) {
        this.layout = layout;
        this.connection = connection;
    }

    /** What a claim has taken. Thread-safe. */
    static final class Taken {
        private final long epoch;

        /** The version of the node of each name that is still held; guarded by this object. */
        private final Map<String, Integer> versions;

        private Taken(long epoch, Map<String, Integer> versions) {
            this.epoch = epoch;
            this.versions = versions;
        }

        long epoch() {
            return epoch;
        }

        synchronized boolean has(String name) {
            return versions.containsKey(name);
        }

        synchronized int version(String name) {
            return versions.getOrDefault(name, Integer.MIN_VALUE);
        }

        /** One name is given back; true if that was the last. */
        synchronized boolean gaveBack(String name) {
            versions.remove(name);
            return versions.isEmpty();
        }
    }

    String holder(String name) {
        return holder(layout, name);
    }

    static String holder(Layout layout, String name) {
        return layout.lock(name) + HOLDER;
    }

    String stub(String name, OwnerId owner) {
        return layout.lock(name) + STUB + owner;
    }

    /** Gives one name back, if it is held still. */
    List<Op> release(String name, OwnerId owner, int version) {
        return List.of(
                Op.check(layout.lock(name), version), Op.delete(stub(name, owner), -1), Op.delete(holder(name), -1));
    }

    /** Clears away what is left of a claim whose holder's node is gone or another one's. Nobody waits for that. */
    void forget(String name, OwnerId owner, Session session) {
        session.delete(stub(name, owner));
    }

    /** Proves that everything is still held, by a request that the leader puts in order. */
    List<Op> checks(Claim claim, Taken taken) {
        List<Op> checks = new ArrayList<>();
        for (Claim.Part part : claim.parts()) {
            checks.addAll(checks(part.name(), claim.owner(), taken));
        }
        return checks;
    }

    /** The same for one name; none if it was given back. */
    List<Op> checks(String name, OwnerId owner, Taken taken) {
        return taken.has(name)
                ? List.of(
                        Op.check(layout.lock(name), taken.version(name)),
                        Op.check(stub(name, owner), -1),
                        Op.check(holder(name), -1))
                : List.of();
    }

    /** Makes the node of every name, or none; empty if somebody has one of them. */
    Optional<Taken> take(Claim claim, Session session, Call call) throws KeeperException {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            List<Op> steps = new ArrayList<>();
            for (Claim.Part part : claim.parts()) {
                Known seen = known.getOrDefault(part.name(), new Known(new byte[0], 0));
                steps.add(
                        Op.create(holder(part.name()), Badge.of(claim, part), connection.acl(), CreateMode.EPHEMERAL));
                steps.add(Op.create(
                        stub(part.name(), claim.owner()), new byte[0], connection.acl(), CreateMode.EPHEMERAL));
                steps.add(Op.setData(layout.lock(part.name()), seen.data(), seen.version()));
            }
            try {
                return Optional.of(taken(claim, call.await(session.multi(steps))));
            } catch (KeeperException.NodeExistsException somebody) {
                Taken mine = find(claim, session, call);
                return Optional.ofNullable(mine);
            } catch (KeeperException.NoNodeException unused) {
                makeLocks(claim, session, call);
            } catch (KeeperException.BadVersionException othersSince) {
                refresh(claim, session, call);
            }
        }
        return Optional.empty();
    }

    private Taken taken(Claim claim, List<OpResult> results) {
        Map<String, Integer> versions = new HashMap<>();
        long epoch = 0;
        for (int i = 0; i < claim.parts().size(); i++) {
            String name = claim.parts().get(i).name();
            OpResult.SetDataResult written = (OpResult.SetDataResult) results.get(STEPS * i + STEPS - 1);
            epoch = written.getStat().getMzxid();
            versions.put(name, written.getStat().getVersion());
            remember(
                    name,
                    known.getOrDefault(name, new Known(new byte[0], 0)).data(),
                    written.getStat().getVersion());
        }
        return new Taken(checked(epoch), versions);
    }

    private static long checked(long epoch) {
        if (epoch >= Grant.EPOCH_LIMIT) {
            throw new StoreMisconfiguredException(
                    "the ensemble has had more than half a million leaders, and its"
                            + " transaction numbers do not fit a fencing token any more; start a new ensemble with an empty tree");
        }
        return epoch;
    }

    private void remember(String name, byte[] data, int version) {
        if (known.size() > MOST_KNOWN) {
            known.clear();
        }
        known.put(name, new Known(data, version));
    }

    /** An earlier request of the claim may have been done although its answer was lost. */
    private @Nullable Taken find(Claim claim, Session session, Call call) throws KeeperException {
        Map<String, Integer> versions = new HashMap<>();
        long epoch = 0;
        for (Claim.Part part : claim.parts()) {
            CompletableFuture<Session.Node> held = session.read(holder(part.name()), null);
            CompletableFuture<Session.Node> lock = session.read(layout.lock(part.name()), null);
            try {
                Session.Node node = call.await(held);
                if (!Badge.parse(node.data()).owner().equals(claim.owner())
                        || node.stat().getEphemeralOwner() != session.id()
                        || call.await(lock).stat().getMzxid() != node.stat().getCzxid()) {
                    return null;
                }
                epoch = node.stat().getCzxid();
                versions.put(part.name(), call.await(lock).stat().getVersion());
            } catch (KeeperException.NoNodeException gone) {
                return null;
            }
        }
        Taken found = new Taken(checked(epoch), versions);
        // What was read proves nothing about the session; this does.
        call.await(session.multi(checks(claim, found)));
        return found;
    }

    private void makeLocks(Claim claim, Session session, Call call) throws KeeperException {
        for (Claim.Part part : claim.parts()) {
            try {
                call.await(
                        session.create(layout.lock(part.name()), new byte[0], connection.acl(), CreateMode.CONTAINER));
                known.remove(part.name());
            } catch (KeeperException.NodeExistsException already) {
                continue;
            } catch (KeeperException.NoNodeException noTree) {
                connection.forgetTree();
                connection.ready(call);
            }
        }
    }

    private void refresh(Claim claim, Session session, Call call) throws KeeperException {
        for (Claim.Part part : claim.parts()) {
            try {
                Session.Node lock = call.await(session.read(layout.lock(part.name()), null));
                remember(part.name(), lock.data(), lock.stat().getVersion());
            } catch (KeeperException.NoNodeException unused) {
                known.remove(part.name());
            }
        }
    }

    /** Deletes whatever an owner has, on all names. */
    void sweep(Claim claim, Session session, Call call) throws KeeperException {
        for (Claim.Part part : claim.parts()) {
            CompletableFuture<Boolean> caughtUp = session.sync(layout.lock(part.name()));
            CompletableFuture<Session.Node> held = session.read(holder(part.name()), null);
            CompletableFuture<Session.Node> lock = session.read(layout.lock(part.name()), null);
            try {
                call.await(caughtUp);
                if (Badge.parse(call.await(held).data()).owner().equals(claim.owner())) {
                    call.await(session.multi(release(
                            part.name(), claim.owner(), call.await(lock).stat().getVersion())));
                } else {
                    forget(part.name(), claim.owner(), session);
                }
            } catch (KeeperException.NoNodeException | KeeperException.BadVersionException gone) {
                forget(part.name(), claim.owner(), session);
            }
        }
    }

    /** Deletes whatever an owner has, on all names, without waiting; completed normally when nothing is left. */
    CompletableFuture<?> clear(Claim claim, Session session) {
        return CompletableFuture.allOf(claim.parts().stream()
                .map(part -> clear(part.name(), claim.owner(), session))
                .toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<?> clear(String name, OwnerId owner, Session session) {
        CompletableFuture<Boolean> caughtUp = session.sync(layout.lock(name));
        CompletableFuture<Session.Node> held = session.read(holder(name), null);
        CompletableFuture<Session.Node> lock = session.read(layout.lock(name), null);
        return caughtUp.thenCompose(now -> held)
                .thenCombine(
                        lock,
                        (node, above) -> Badge.parse(node.data()).owner().equals(owner)
                                ? session.multi(
                                        release(name, owner, above.stat().getVersion()))
                                : session.delete(stub(name, owner)))
                .thenCompose(answer -> answer)
                .handle((cleared, failure) -> isNothingLeft(failure)
                        ? session.delete(stub(name, owner)).exceptionally(late -> isDeleted(late))
                        : CompletableFuture.failedFuture(failure))
                .thenCompose(answer -> answer);
    }

    /** Whether there is no node of the holder, or it is another's. */
    private static boolean isNothingLeft(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null
                || cause instanceof KeeperException.NoNodeException
                || cause instanceof KeeperException.BadVersionException;
    }

    private static boolean isDeleted(Throwable failure) {
        if (failure instanceof KeeperException.NoNodeException) {
            return true;
        }
        throw new CompletionException(failure);
    }
}
