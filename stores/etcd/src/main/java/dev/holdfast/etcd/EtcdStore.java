package dev.holdfast.etcd;

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
import io.etcd.jetcd.api.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Locks as lines of keys, first come, first served. Thread-safe.
 *
 * <p>A claim puts a key into the line of each of its names and reads the lines, in one transaction. Whoever fits with
 * everybody ahead holds. Others watch the fewest keys whose staying means that there is no room. The epoch is the revision of
 * that transaction, raised by an offset that survives a restore.
 *
 * <p>A grant is good for the session's timeout from the moment at which a keep-alive was sent that is proved to have reached
 * the leader. Watches and the state of the connection prove nothing.
 */
final class EtcdStore implements LockStore {
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
            "locks survive the loss of a minority of the members, and of all of them for less than the session timeout;"
                    + " tokens go on upwards, also after a restore from a snapshot");

    private final Wire wire;
    private final Transactions transactions;
    private final Sessions sessions;
    private final Watches watches;
    private final Tombstones tombstones;
    private final Entrance entrance;
    private final Views views;
    private final StoreContext context;
    private final Places places;
    private volatile boolean closed;

    EtcdStore(Wire wire, Settings settings, StoreContext context) {
        this.wire = wire;
        this.context = context;
        this.transactions = new Transactions(settings.layout());
        this.places = new Places(settings.layout());
        this.watches = new Watches(context, wire, transactions);
        this.sessions = new Sessions(wire, transactions, context, settings.session(), this::ended);
        this.tombstones = new Tombstones(wire, context);
        this.entrance = new Entrance(wire, transactions, sessions, watches, tombstones, places);
        this.views = new Views(wire, transactions);
        wire.observe(new Wire.Observer() {
            @Override
            public void movedOn() {
                watches.moveOn();
            }

            @Override
            public void restored() {
                sessions.restored();
            }
        });
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return entrance.acquire(claim, wire.call("acquire", claim.describe()));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        Call call = wire.call("poll", claims.size() == 1 ? claims.get(0).describe() : "waiting claims");
        return claims.size() == 1
                ? List.of(entrance.acquire(claims.get(0), call))
                : entrance.askTogether(claims, call)
                        .orElseGet(() -> claims.stream()
                                .map(claim -> entrance.acquireAmongOthers(claim, call))
                                .toList());
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        if (!mayStillArrive && places.get(claim.owner()) == null) {
            return;
        }
        entrance.withdraw(claim, mayStillArrive, wire.call("withdraw", claim.describe()));
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        Call call = wire.call("renew", grants.size() == 1 ? grants.get(0).name() : "held leases");
        return new Renewal(grants, places, sessions.ready(call), sessions, wire, call).run();
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        Call call = wire.call("release", grants.size() == 1 ? grants.get(0).name() : "held leases");
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        for (int from = 0; from < grants.size(); from += Transactions.GROUP) {
            outcomes.addAll(release(grants.subList(from, Math.min(grants.size(), from + Transactions.GROUP)), call));
        }
        return outcomes;
    }

    private List<ReleaseOutcome> release(List<Grant> grants, Call call) {
        List<Transactions.Made> keys = new ArrayList<>(grants.size());
        List<ReleaseOutcome> outcomes = new ArrayList<>(grants.size());
        List<Integer> asked = new ArrayList<>(grants.size());
        Set<OwnerId> mayStillArrive = new LinkedHashSet<>();
        for (Grant grant : grants) {
            Place place = places.get(grant.owner());
            Transactions.Made key = place == null ? null : place.of(grant);
            outcomes.add(ReleaseOutcome.NOT_HELD);
            if (place != null && key != null) {
                watches.forget(place);
                asked.add(outcomes.size() - 1);
                keys.add(key);
                if (place.mayStillArrive()) {
                    mayStillArrive.add(grant.owner());
                }
            }
        }
        if (keys.isEmpty()) {
            return outcomes;
        }
        try {
            boolean single = keys.size() == 1 && mayStillArrive.isEmpty();
            long tombstone = mayStillArrive.isEmpty() ? 0 : tombstones.lease(call);
            TxnResponse answer = wire.txnOnce(
                    single
                            ? Transactions.release(keys.get(0))
                            : transactions.releaseEach(keys, mayStillArrive, tombstone),
                    call);
            for (int i = 0; i < keys.size(); i++) {
                boolean released = single
                        ? answer.getSucceeded()
                        : answer.getResponses(i).getResponseTxn().getSucceeded();
                int index = asked.get(i);
                outcomes.set(index, released ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD);
                gaveBack(grants.get(index));
            }
        } catch (RuntimeException failed) {
            if (failed instanceof Wire.LeaseGone) {
                tombstones.forgetLease();
            }
            asked.forEach(index -> outcomes.set(index, new ReleaseOutcome.Unknown(failed)));
        }
        return outcomes;
    }

    private void gaveBack(Grant grant) {
        Place place = places.get(grant.owner());
        if (place != null && place.of(grant) != null && place.gaveBack()) {
            places.drop(place);
        }
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return views.inspect(name, wire.call("inspect", name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return views.list(prefix, limit, wire.call("list", prefix));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return views.evict(name, epoch, by, reason, wire.call("evict", name));
    }

    /** A session needs the right to write, and that the format is ours. */
    @Override
    public void ping() {
        Call call = wire.call("ping", "etcd");
        try {
            sessions.readOrdered(sessions.ready(call), call);
        } catch (Wire.LeaseGone over) {
            sessions.ready(call);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        watches.close();
        sessions.close();
        wire.close();
        places.clear();
    }

    /** What becomes of places when their session ends: grants are lost, waiters enter their lines anew. */
    private void ended(Session session) {
        context.listener().sessionLost(session.name());
        for (Place place : places.all()) {
            if (place.session() == session) {
                watches.askEngine(place);
            }
        }
    }
}
