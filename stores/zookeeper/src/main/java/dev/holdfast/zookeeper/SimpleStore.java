package dev.holdfast.zookeeper;

import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;

/**
 * Locks as one ephemeral node per name: whoever makes it holds. Exclusive only, and in no order: all who wait are woken and
 * try. Thread-safe.
 *
 * <p>Making the node also writes the node above it, in the same step. The version that this gives tells one holder from
 * the next: a release or renewal names it, so that a former holder cannot touch its successor's node, which has the same
 * path. The transaction is the epoch.
 */
final class SimpleStore implements LockStore {
    static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.SESSION,
            Set.of(
                    Promise.SEVERAL_NAMES,
                    Promise.ATOMIC_NAMES,
                    Promise.BETWEEN_PROCESSES,
                    Promise.LOSS_BEFORE_REGRANT,
                    Promise.PAUSED_HOLDER_IS_REPLACED,
                    Promise.SURVIVES_RESTART),
            FairStore.TRAITS.shortestLease(),
            LockOptions.LONGEST,
            FairStore.TRAITS.failover());

    private static final Duration AFTER_TOMBSTONE = Duration.ofSeconds(5);
    private static final Duration LONGEST_HINT = Duration.ofSeconds(5);
    private static final int ASKS_PER_TRUST = 3;

    private final StoreContext context;
    private final Connection connection;
    private final Tombstones tombstones;
    private final SingleNodes nodes;
    private final SimpleViews views;
    private final Map<OwnerId, Holding> holdings = new ConcurrentHashMap<>();

    /** Claims that asked for their nodes and have not been answered yet, or never will be. */
    private final Map<OwnerId, Claim> asking = new ConcurrentHashMap<>();

    private final SimpleWaiters waiters;

    SimpleStore(
            Settings settings,
            StoreContext context,
            BiFunction<StoreContext, Connection.Observer, Connection> connect) {
        this.context = context;
        this.tombstones = new Tombstones(context.clock());
        // Before the connection, which may tell of something at once.
        this.waiters = new SimpleWaiters(settings.layout(), context.listener());
        this.connection = connect.apply(context, new Sessions());
        this.nodes = new SingleNodes(settings.layout(), connection);
        this.views = new SimpleViews(settings.layout(), nodes);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        Call call = connection.call("acquire", claim.describe());
        if (tombstones.contains(claim.owner())) {
            return new AcquireOutcome.Contended(AFTER_TOMBSTONE);
        }
        if (claim.parts().stream().anyMatch(part -> part.kind() != LockKind.EXCLUSIVE)) {
            throw new IllegalArgumentException("the simple mode of ZooKeeper has exclusive locks only");
        }
        Badge.refuseIfTooLarge(claim);
        Session session = connection.ready(call);
        try {
            Holding held = holdings.get(claim.owner());
            if (held != null && held.session() == session && stillThere(held, call)) {
                return new AcquireOutcome.Granted(held.grants());
            }
            if (held != null) {
                holdings.remove(claim.owner());
                claim.parts().forEach(part -> nodes.forget(part.name(), claim.owner(), session));
            }
            asking.put(claim.owner(), claim);
            if (connection.isClosed()) {
                // In this order: whoever closes the store looks for claims after it has said that it is closed.
                asking.remove(claim.owner());
                throw call.unavailable(new IllegalStateException("the store is closed"));
            }
            Optional<SingleNodes.Taken> taken = nodes.take(claim, session, call);
            if (taken.isEmpty()) {
                asking.remove(claim.owner());
                return refused(claim, session, call);
            }
            waiters.remove(claim);
            Holding fresh = new Holding(claim, session, taken.get());
            holdings.put(claim.owner(), fresh);
            asking.remove(claim.owner());
            return new AcquireOutcome.Granted(fresh.grants());
        } catch (KeeperException failed) {
            throw connection.failure(failed, session, call);
        }
    }

    private boolean stillThere(Holding held, Call call) throws KeeperException {
        try {
            call.await(held.session().multi(nodes.checks(held.claim(), held.taken())));
            return true;
        } catch (KeeperException.NoNodeException | KeeperException.BadVersionException gone) {
            return false;
        }
    }

    private AcquireOutcome refused(Claim claim, Session session, Call call) throws KeeperException {
        if (claim.queue()) {
            for (CompletableFuture<Session.Node> look : waiters.look(claim, session)) {
                try {
                    call.await(look);
                } catch (KeeperException.NoNodeException freeByNow) {
                    return new AcquireOutcome.Contended(Duration.ofMillis(1));
                }
            }
        }
        return contended(session);
    }

    private static AcquireOutcome contended(Session session) {
        Duration hint = session.trust().dividedBy(ASKS_PER_TRUST);
        return new AcquireOutcome.Contended(hint.compareTo(LONGEST_HINT) < 0 ? hint : LONGEST_HINT);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        if (claims.size() == 1) {
            return List.of(tryAcquire(claims.get(0)));
        }
        Call call = connection.call("poll", "waiting claims");
        Session session = connection.ready(call);
        try {
            Set<OwnerId> inVain = waiters.thoseInVain(claims, session, call);
            return claims.stream()
                    .map(claim -> inVain.contains(claim.owner()) ? contended(session) : tryAcquire(claim))
                    .toList();
        } catch (KeeperException failed) {
            throw connection.failure(failed, session, call);
        }
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        if (connection.hasLostItsClient()) {
            return;
        }
        if (mayStillArrive) {
            tombstones.add(claim.owner());
        }
        waiters.remove(claim);
        Holding held = holdings.get(claim.owner());
        if (held == null && !mayStillArrive) {
            return;
        }
        Call call = connection.call("withdraw", claim.describe());
        Session session = connection.ready(call);
        try {
            nodes.sweep(claim, session, call);
            holdings.remove(claim.owner());
            asking.remove(claim.owner());
        } catch (KeeperException failed) {
            throw connection.failure(failed, session, call);
        }
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        Call call = connection.call("renew", grants.size() == 1 ? grants.get(0).name() : "held leases");
        Session session = connection.ready(call);
        List<List<Op>> checks = new ArrayList<>(grants.size());
        for (Grant grant : grants) {
            checks.add(holdingOf(grant)
                    .filter(held -> held.session() == session)
                    .map(held -> nodes.checks(grant.name(), grant.owner(), held.taken()))
                    .orElse(List.of()));
        }
        List<CompletableFuture<?>> answers = new ArrayList<>(grants.size());
        CompletableFuture<?> together =
                session.checkAll(checks.stream().flatMap(List::stream).toList());
        call.settle(together);
        // The server does not tell which are gone, so each is then asked for alone, without waiting in between.
        boolean someGone = isGone(together);
        for (List<Op> check : checks) {
            answers.add(
                    check.isEmpty()
                            ? CompletableFuture.failedFuture(new KeeperException.NoNodeException())
                            : someGone ? session.multi(check) : together);
        }
        List<RenewOutcome> outcomes = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            outcomes.add(renewed(grants.get(i), answers.get(i), session, call));
        }
        return outcomes;
    }

    private static boolean isGone(CompletableFuture<?> answer) {
        Throwable failure = answer.handle((value, thrown) -> thrown).getNow(null);
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof KeeperException.NoNodeException || cause instanceof KeeperException.BadVersionException;
    }

    private RenewOutcome renewed(Grant grant, CompletableFuture<?> answer, Session session, Call call) {
        try {
            call.await(answer);
            return new RenewOutcome.Renewed(Holding.validFor(session, grant.lease()), true);
        } catch (KeeperException.NoNodeException | KeeperException.BadVersionException gone) {
            boolean known = holdingOf(grant).isPresent();
            boolean sameSession = session.name().equals(grant.session());
            return new RenewOutcome.Lost(
                    !sameSession ? LossReason.SESSION_LOST : known ? LossReason.EVICTED : LossReason.EXPIRED);
        } catch (KeeperException failed) {
            RuntimeException cause = connection.failure(failed, session, call);
            return Connection.isOver(failed)
                    ? new RenewOutcome.Lost(LossReason.SESSION_LOST)
                    : new RenewOutcome.Unknown(cause);
        }
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        if (connection.hasLostItsClient()) {
            return grants.stream()
                    .<ReleaseOutcome>map(grant -> ReleaseOutcome.NOT_HELD)
                    .toList();
        }
        Call call =
                connection.call("release", grants.size() == 1 ? grants.get(0).name() : "held leases");
        Session session = connection.ready(call);
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (Grant grant : grants) {
            Optional<Holding> held = holdingOf(grant);
            answers.add(
                    held.isPresent()
                            ? session.multi(nodes.release(
                                    grant.name(),
                                    grant.owner(),
                                    held.get().taken().version(grant.name())))
                            : CompletableFuture.failedFuture(new KeeperException.NoNodeException()));
        }
        List<ReleaseOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < grants.size(); i++) {
            outcomes.add(released(grants.get(i), answers.get(i), session, call));
        }
        return outcomes;
    }

    private ReleaseOutcome released(Grant grant, CompletableFuture<?> answer, Session session, Call call) {
        ReleaseOutcome outcome = answered(answer, session, call);
        if (outcome instanceof ReleaseOutcome.Unknown) {
            return outcome;
        }
        holdings.computeIfPresent(grant.owner(), (owner, held) -> {
            if (!held.isOf(grant)) {
                return held;
            }
            if (outcome == ReleaseOutcome.NOT_HELD) {
                // Within this step, so that it is sent before the owner can take the name anew.
                nodes.forget(grant.name(), owner, session);
            }
            return held.taken().gaveBack(grant.name()) ? null : held;
        });
        return outcome;
    }

    private ReleaseOutcome answered(CompletableFuture<?> answer, Session session, Call call) {
        try {
            call.await(answer);
            return ReleaseOutcome.RELEASED;
        } catch (KeeperException.NoNodeException | KeeperException.BadVersionException gone) {
            return ReleaseOutcome.NOT_HELD;
        } catch (KeeperException failed) {
            return new ReleaseOutcome.Unknown(connection.failure(failed, session, call));
        }
    }

    private Optional<Holding> holdingOf(Grant grant) {
        return Optional.ofNullable(holdings.get(grant.owner())).filter(held -> held.isOf(grant));
    }

    @Override
    public Optional<LockView> inspect(String name) {
        Call call = connection.call("inspect", name);
        return views.inspect(name, connection.ready(call), call);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        Call call = connection.call("list", prefix);
        return views.list(prefix, limit, connection.ready(call), call);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        Call call = connection.call("evict", name);
        return views.evict(name, epoch, by, reason, connection.ready(call), call);
    }

    @Override
    public void ping() {
        connection.ping(connection.call("ping", "ZooKeeper"));
    }

    @Override
    public void close() {
        if (!connection.isClosed()) {
            connection.close(this::claimsIn, nodes::clear);
        }
    }

    /** Everything that may have a node in a session, also if that was never answered. */
    private List<Claim> claimsIn(Session session) {
        Map<OwnerId, Claim> left = new HashMap<>(asking);
        holdings.forEach((owner, held) -> {
            if (held.session() == session) {
                left.put(owner, held.claim());
            }
        });
        return List.copyOf(left.values());
    }

    /** Whoever waits asks again, because a watch may have been lost with its session or missed. */
    private final class Sessions implements Connection.Observer {
        @Override
        public void ended(Session session) {
            context.listener().sessionLost(session.name());
            waiters.wakeAll();
        }

        @Override
        public void attached(Session session) {
            waiters.wakeAll();
        }
    }
}
