package dev.holdfast.zookeeper;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
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
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.apache.zookeeper.KeeperException;

/**
 * Locks as lines of ephemeral sequential nodes, first come, first served. Thread-safe.
 *
 * <p>A claim makes a node in the line of each of its names, in one step, and lists the line without waiting in between:
 * the server answers in order, so the list shows the node. Whoever fits with everybody ahead holds. Others watch the
 * fewest nodes whose staying means that there is no room. The epoch is the transaction that made the node.
 *
 * <p>A grant is good for two thirds of the session's timeout from the moment at which a request was sent that the leader
 * had to put in order: the making of the node, or a renewal, which checks that the nodes are there. Watches, lists and the
 * state of the connection prove nothing: a server that is cut off from its leader goes on answering.
 */
final class FairStore implements LockStore {
    static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.SESSION,
            Set.of(
                    Promise.FAIR,
                    Promise.PUSHES,
                    Promise.SEES_WAITERS,
                    Promise.READ_WRITE,
                    Promise.SEMAPHORE,
                    Promise.SEVERAL_NAMES,
                    Promise.ATOMIC_NAMES,
                    Promise.BETWEEN_PROCESSES,
                    Promise.LOSS_BEFORE_REGRANT,
                    Promise.PAUSED_HOLDER_IS_REPLACED,
                    Promise.SURVIVES_RESTART),
            Duration.ofMillis(100),
            LockOptions.LONGEST,
            "locks survive the loss of a minority of the servers, and of all of them for less than two thirds of the"
                    + " session timeout; tokens go on upwards");

    private static final Duration AFTER_TOMBSTONE = Duration.ofSeconds(5);

    private final StoreContext context;
    private final Connection connection;
    private final Watches watches;
    private final OwnNodes own;
    private final Tombstones tombstones;
    private final Entrance entrance;
    private final FairViews views;
    private final Map<OwnerId, Place> places = new ConcurrentHashMap<>();

    FairStore(
            Settings settings,
            StoreContext context,
            BiFunction<StoreContext, Connection.Observer, Connection> connect) {
        this.context = context;
        this.watches = new Watches(context);
        this.own = new OwnNodes(settings.layout());
        this.tombstones = new Tombstones(context.clock());
        this.connection = connect.apply(context, new Sessions());
        this.entrance = new Entrance(settings.layout(), connection, watches, places);
        this.views = new FairViews(settings.layout());
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return acquire(claim, connection.call("acquire", claim.describe()));
    }

    private AcquireOutcome acquire(Claim claim, Call call) {
        if (tombstones.contains(claim.owner())) {
            return new AcquireOutcome.Contended(AFTER_TOMBSTONE);
        }
        return entrance.acquire(claim, connection.ready(call), call);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        Call call = connection.call("poll", claims.size() == 1 ? claims.get(0).describe() : "waiting claims");
        if (claims.size() == 1) {
            return List.of(acquire(claims.get(0), call));
        }
        List<Claim> wanted = claims.stream()
                .filter(claim -> !tombstones.contains(claim.owner()))
                .toList();
        Session session = connection.ready(call);
        try {
            Iterator<AcquireOutcome> outcomes =
                    new Poll(entrance, places, own, session, call).ask(wanted).iterator();
            Set<OwnerId> asked = wanted.stream().map(Claim::owner).collect(Collectors.toSet());
            return claims.stream()
                    .map(claim -> asked.contains(claim.owner())
                            ? outcomes.next()
                            : new AcquireOutcome.Contended(AFTER_TOMBSTONE))
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
        Place place = places.get(claim.owner());
        if (place == null && !mayStillArrive) {
            return;
        }
        Call call = connection.call("withdraw", claim.describe());
        if (place != null) {
            watches.forget(place);
        }
        entrance.leave(claim, mayStillArrive ? null : place, connection.ready(call), call);
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        Call call = connection.call("renew", grants.size() == 1 ? grants.get(0).name() : "held leases");
        Session session = connection.ready(call);
        List<RenewOutcome> outcomes = new Renewal(grants, places, session, connection, call).run();
        for (Grant grant : grants) {
            Place place = places.get(grant.owner());
            if (place != null) {
                watches.guardLate(place);
            }
        }
        return outcomes;
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
        List<CompletableFuture<Boolean>> answers = new ArrayList<>(grants.size());
        for (Grant grant : grants) {
            Place place = places.get(grant.owner());
            String node = place == null ? "" : place.nodeOf(grant);
            if (place != null && !node.isEmpty()) {
                watches.forget(place);
                answers.add(grants.size() > 1 ? session.delete(node) : session.deleteNow(node, call));
            } else {
                answers.add(CompletableFuture.failedFuture(new KeeperException.NoNodeException()));
            }
        }
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        for (int i = 0; i < grants.size(); i++) {
            outcomes.add(released(grants.get(i), answers.get(i), session, call));
        }
        return outcomes;
    }

    private ReleaseOutcome released(Grant grant, CompletableFuture<Boolean> answer, Session session, Call call) {
        ReleaseOutcome outcome;
        try {
            call.await(answer);
            outcome = ReleaseOutcome.RELEASED;
        } catch (KeeperException.NoNodeException gone) {
            outcome = ReleaseOutcome.NOT_HELD;
        } catch (KeeperException failed) {
            return new ReleaseOutcome.Unknown(connection.failure(failed, session, call));
        }
        Place place = places.get(grant.owner());
        if (place != null && !place.nodeOf(grant).isEmpty() && place.gaveBack()) {
            places.remove(grant.owner(), place);
            OwnNodes.resetCounters(place, session);
        }
        return outcome;
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
        if (connection.isClosed()) {
            return;
        }
        connection.close(this::claimsIn, own::clear);
        places.clear();
    }

    /** Everything that may have a node in a session, also if that was never answered. */
    private List<Claim> claimsIn(Session session) {
        List<Place> left = places.values().stream()
                .filter(place -> place.session() == session)
                .toList();
        left.forEach(watches::forget);
        return left.stream().map(Place::claim).toList();
    }

    /** What becomes of places when their session ends, or may have missed something. */
    private final class Sessions implements Connection.Observer {
        @Override
        public void ended(Session session) {
            context.listener().sessionLost(session.name());
            hint(session);
        }

        @Override
        public void attached(Session session) {
            hint(session);
        }

        /** Waiters ask again: in a new session they enter their lines anew, in the old one they look where they stand. */
        private void hint(Session session) {
            for (Place place : places.values()) {
                if (place.session() == session
                        && place.state() != Place.State.ENDED
                        && place.state() != Place.State.HELD) {
                    context.listener()
                            .retry(
                                    place.claim().parts().get(0).name(),
                                    place.claim().owner());
                }
            }
        }
    }
}
