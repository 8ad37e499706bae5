package dev.holdfast.jdbc.session;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.Schema;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreTraits;
import dev.holdfast.spi.StoreTraits.Promise;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Locks that a session of the database holds: a connection is kept for each lock, and the database frees the lock when
 * that connection ends, for whatever reason.
 *
 * <p>The order of steps is what makes a token right: the lock first, then the epoch, drawn durably over another
 * connection, then a sign of life from the connection that holds the lock. A lock that was lost before its epoch was
 * drawn is noticed by the last step and not granted. Afterwards a loss is noticed when the connection is looked at, twice
 * a second, which may be after the database has granted the lock to somebody else. Thread-safe.
 */
public final class SessionStore implements LockStore {
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);
    private static final long TOMBSTONE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long FIRST_HINT_NANOS = Duration.ofMillis(2).toNanos();
    private static final int MOST_DOUBLINGS = 5;

    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.SESSION,
            Set.of(Promise.SEVERAL_NAMES, Promise.ATOMIC_NAMES, Promise.BETWEEN_PROCESSES, Promise.DEATH_SEEN_AT_ONCE),
            LockOptions.SHORTEST_LEASE,
            Duration.ofDays(3650),
            "locks end with the connection that holds them, so a restart or failover of the server ends all of them;"
                    + " the holder is told within a second, which may be after somebody else was granted the lock");

    private final Database database;
    private final Schema schema;
    private final StoreContext context;
    private final Function<Dialect, SessionLock> strategy;
    private final Dedicated dedicated;
    private final Map<OwnerId, Held> held = new ConcurrentHashMap<>();
    private final Map<OwnerId, Long> tombstones = new ConcurrentHashMap<>();
    private final Map<OwnerId, LossReason> lost = new ConcurrentHashMap<>();
    private final Map<OwnerId, Integer> refusals = new ConcurrentHashMap<>();
    private volatile @Nullable Tools tools;
    private volatile boolean closed;

    /** What is known once the database has answered for the first time. */
    private record Tools(SessionLock lock, Register register) {}

    /**
     * Opens it, without connecting.
     *
     * @param database where the tables are
     * @param schema the tables
     * @param context what the engine lends
     * @param strategy makes the locks
     * @param most how many connections may hold locks at the same time
     */
    public SessionStore(
            Database database, Schema schema, StoreContext context, Function<Dialect, SessionLock> strategy, int most) {
        this.database = database;
        this.schema = schema;
        this.context = context;
        this.strategy = strategy;
        this.dedicated = new Dedicated(database.connections(), most);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        Tools ready = ready("acquire", claim.describe());
        Held known = held.get(claim.owner());
        if (known != null) {
            return isAlive(known) ? new AcquireOutcome.Granted(known.grants) : contended(claim);
        }
        if (isBuried(claim.owner())) {
            return contended(claim);
        }
        List<String> names = claim.parts().stream().map(Claim.Part::name).toList();
        database.run("acquire", claim.describe(), connection -> {
            ready.lock.prepare(connection, names);
            return true;
        });
        Connection connection = call("acquire", claim.describe(), dedicated::take);
        boolean kept = false;
        try {
            if (!call("acquire", claim.describe(), () -> ready.lock.tryLock(connection, names))) {
                dedicated.giveBack(connection);
                kept = true;
                return contended(claim);
            }
            Held mine = call("acquire", claim.describe(), () -> grant(ready, claim, connection));
            held.put(claim.owner(), mine);
            kept = true;
            lookLater();
            if (isBuried(claim.owner()) && held.remove(claim.owner()) != null) {
                end(ready, mine);
                return contended(claim);
            }
            refusals.remove(claim.owner());
            return new AcquireOutcome.Granted(mine.grants);
        } finally {
            if (!kept) {
                dedicated.discard(connection);
            }
        }
    }

    private Held grant(Tools ready, Claim claim, Connection connection) throws SQLException {
        long backend = ready.register.backendOf(connection);
        String session = backend + "/" + claim.owner();
        List<Grant> grants = new ArrayList<>();
        for (Claim.Part part : claim.parts()) {
            long epoch = ready.register.draw(claim, part.name(), backend);
            grants.add(new Grant(part.name(), claim.owner(), epoch, claim.lease(), null, session, true));
        }
        if (ready.register.backendOf(connection) != backend) {
            throw new StoreMisconfiguredException(
                    "the connection has changed its session of the database, probably because"
                            + " of a transaction pooler; use strategy=lease behind one");
        }
        return new Held(claim, grants, connection, backend, session);
    }

    private AcquireOutcome contended(Claim claim) {
        int before = claim.queue() ? refusals.merge(claim.owner(), 1, Integer::sum) : 1;
        return new AcquireOutcome.Contended(Duration.ofNanos(FIRST_HINT_NANOS << Math.min(before, MOST_DOUBLINGS)));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return claims.stream().map(this::tryAcquire).toList();
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        Tools ready = ready("withdraw", claim.describe());
        refusals.remove(claim.owner());
        if (mayStillArrive) {
            long now = context.clock().nanos();
            tombstones.values().removeIf(until -> until < now);
            tombstones.put(claim.owner(), now + TOMBSTONE_NANOS);
        }
        Held mine = held.remove(claim.owner());
        if (mine != null) {
            end(ready, mine);
        }
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        ready("renew", "held locks");
        return grants.stream().map(this::renew).toList();
    }

    private RenewOutcome renew(Grant grant) {
        Held mine = held.get(grant.owner());
        if (mine != null && mine.matches(grant) && isAlive(mine)) {
            return new RenewOutcome.Renewed(null, true);
        }
        return new RenewOutcome.Lost(lost.getOrDefault(grant.owner(), LossReason.SESSION_LOST));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        Tools ready = ready("release", "held locks");
        return grants.stream().map(grant -> release(ready, grant)).toList();
    }

    /** A transaction gives back all of its rows or none, so a lock over several names ends with the last of them. */
    private ReleaseOutcome release(Tools ready, Grant grant) {
        Held mine = held.get(grant.owner());
        if (mine == null || !mine.matches(grant)) {
            return ReleaseOutcome.NOT_HELD;
        }
        mine.use.lock();
        try {
            if (!mine.givenBack.add(grant.name())) {
                return ReleaseOutcome.NOT_HELD;
            }
            if (mine.givenBack.size() < mine.grants.size()) {
                return ReleaseOutcome.RELEASED;
            }
        } finally {
            mine.use.unlock();
        }
        held.remove(grant.owner());
        return end(ready, mine) ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
    }

    /** Gives everything back; false if the connection had been lost before. */
    private boolean end(Tools ready, Held mine) {
        List<String> names = mine.grants.stream().map(Grant::name).toList();
        mine.use.lock();
        try {
            if (mine.ended) {
                return false;
            }
            mine.ended = true;
            for (String name : names) {
                ready.register.clear(mine.claim, name);
            }
            ready.lock.unlock(mine.connection, names);
            dedicated.giveBack(mine.connection);
            return true;
        } catch (SQLException | HoldfastException broken) {
            // The end of the connection is the end of the lock.
            dedicated.discard(mine.connection);
            return false;
        } finally {
            mine.use.unlock();
        }
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return ready("inspect", name).register.read(name).flatMap(SessionStore::view);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return ready("list", prefix).register.list(prefix).stream()
                .map(SessionStore::view)
                .flatMap(Optional::stream)
                .filter(view -> !view.holders().isEmpty())
                .limit(limit)
                .toList();
    }

    private static Optional<LockView> view(Record record) {
        Optional<LockView.Eviction> eviction = record.evictedEpoch() == 0
                ? Optional.empty()
                : Optional.of(new LockView.Eviction(
                        record.evictedBy(), record.evictedReason(), micros(record.now() - record.evictedAt())));
        List<LockView.Holder> holders = record.owner() == null
                ? List.of()
                : List.of(new LockView.Holder(
                        record.clientName(),
                        record.label(),
                        1,
                        Grant.token(record.epoch(), 0),
                        micros(record.now() - record.since()),
                        Optional.empty()));
        return holders.isEmpty() && eviction.isEmpty()
                ? Optional.empty()
                : Optional.of(new LockView(record.name(), LockKind.EXCLUSIVE, 1, holders, List.of(), eviction));
    }

    private static Duration micros(long micros) {
        return Duration.of(Math.max(0, micros), ChronoUnit.MICROS);
    }

    @Override
    public int evict(String name, String by, String reason) {
        Tools ready = ready("evict", name);
        Record record = ready.register.read(name).orElse(null);
        if (record == null || record.owner() == null || !ready.register.evict(record, by, reason)) {
            return 0;
        }
        ready.register.terminate(name, record.backend());
        return 1;
    }

    @Override
    public void ping() {
        Tools ready = ready("ping", "the store");
        database.run("ping", "the store", ready.register::backendOf);
    }

    @Override
    public void close() {
        closed = true;
        Tools known = tools;
        for (Held mine : held.values()) {
            if (known != null) {
                end(known, mine);
            }
        }
        held.clear();
        dedicated.close();
        database.close();
    }

    /** Looks at the connections that hold locks, as long as there are any. */
    private void lookLater() {
        if (!closed && looking.compareAndSet(false, true)) {
            context.scheduler().schedule(LOOK_INTERVAL, () -> {
                looking.set(false);
                held.values().forEach(this::isAlive);
                if (!held.isEmpty()) {
                    lookLater();
                }
            });
        }
    }

    private final java.util.concurrent.atomic.AtomicBoolean looking = new java.util.concurrent.atomic.AtomicBoolean();

    /** Asks the connection of a lock for a sign of life; without one the lock is lost, and that is told. */
    private boolean isAlive(Held mine) {
        mine.use.lock();
        try {
            if (mine.ended) {
                return false;
            }
            if (ready("look", mine.claim.describe()).register.backendOf(mine.connection) == mine.backend) {
                return true;
            }
            endLost(mine);
        } catch (SQLException gone) {
            endLost(mine);
        } finally {
            mine.use.unlock();
        }
        held.remove(mine.claim.owner(), mine);
        tellLoss(mine);
        return false;
    }

    private void endLost(Held mine) {
        mine.ended = true;
        dedicated.discard(mine.connection);
    }

    private void tellLoss(Held mine) {
        for (Grant grant : mine.grants) {
            LossReason reason = LossReason.SESSION_LOST;
            try {
                Tools ready = ready("look", grant.name());
                if (ready.register
                        .read(grant.name())
                        .filter(record -> record.evictedEpoch() == grant.epoch())
                        .isPresent()) {
                    reason = LossReason.EVICTED;
                }
                ready.register.clear(mine.claim, grant.name());
            } catch (HoldfastException unanswered) {
                // Who cannot reach the database cannot tell why; the loss is certain.
            }
            lost.put(mine.claim.owner(), reason);
            if (lost.size() > MOST_LOSSES) {
                lost.clear();
            }
            context.listener().lost(grant.name(), grant.owner(), grant.epoch(), reason);
        }
        context.listener().sessionLost(mine.session);
    }

    private static final int MOST_LOSSES = 1_000;

    private boolean isBuried(OwnerId owner) {
        Long until = tombstones.get(owner);
        return until != null && until >= context.clock().nanos();
    }

    private Tools ready(String operation, String lockName) {
        Tools known = tools;
        if (closed) {
            throw new StoreUnavailableException(operation, lockName, new IllegalStateException("the store is closed"));
        }
        if (known == null) {
            known = database.run(operation, lockName, connection -> {
                Dialect dialect = Dialect.of(connection);
                schema.ensure(dialect, connection);
                return new Tools(strategy.apply(dialect), new Register(database, dialect, schema.prefix()));
            });
            tools = known;
        }
        return known;
    }

    private static <R> R call(String operation, String lockName, Step<R> step) {
        try {
            return step.run();
        } catch (SQLException failure) {
            throw failure instanceof Dedicated.SpentException
                    ? new StoreUnavailableException(operation, lockName, failure)
                    : Faults.translate(operation, lockName, failure);
        }
    }

    /** One step with the database. */
    private interface Step<R> {
        R run() throws SQLException;
    }
}
