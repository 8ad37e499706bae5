package dev.holdfast.jdbc.session;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
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
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Locks that a session of the database holds: a connection is kept for each lock, and the database frees the lock when
 * that connection ends, for whatever reason. A loss is noticed when the connection is looked at, twice a second, which may
 * be after the database has granted the lock to somebody else. Thread-safe.
 */
public final class SessionStore implements LockStore {
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

    /** A loss is certain; why it happened is told if the database answers in this time. */
    private static final Duration REASON_PATIENCE = Duration.ofMillis(500);

    private static final long TOMBSTONE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long FIRST_HINT_NANOS = Duration.ofMillis(2).toNanos();
    private static final int MOST_DOUBLINGS = 5;
    private static final int MOST_LOSSES = 1_000;

    private final Database database;
    private final Schema schema;
    private final StoreContext context;
    private final BiFunction<Database, Dialect, SessionLock> strategy;
    private final StoreTraits traits;
    private final Dedicated dedicated;
    private final Map<OwnerId, Held> held = new ConcurrentHashMap<>();
    private final Map<OwnerId, Long> tombstones = new ConcurrentHashMap<>();
    private final Map<OwnerId, LossReason> lost = new ConcurrentHashMap<>();
    private final Map<OwnerId, Integer> refusals = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile @Nullable SessionLock lock;
    private volatile boolean closed;

    /**
     * Opens it, without connecting.
     *
     * @param database where the tables are
     * @param schema the tables
     * @param context what the engine lends
     * @param strategy makes the locks
     * @param traits what they promise
     * @param most how many connections may hold locks at the same time
     */
    public SessionStore(
            Database database,
            Schema schema,
            StoreContext context,
            BiFunction<Database, Dialect, SessionLock> strategy,
            StoreTraits traits,
            int most) {
        this.database = database;
        this.schema = schema;
        this.context = context;
        this.strategy = strategy;
        this.traits = traits;
        this.dedicated = new Dedicated(database.connections(), most);
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        SessionLock ready = ready("acquire", claim.describe());
        Held known = held.get(claim.owner());
        if (known != null) {
            return isAlive(known) ? new AcquireOutcome.Granted(known.grants) : contended(claim);
        }
        if (isBuried(claim.owner())) {
            return contended(claim);
        }
        Seat seat = call("acquire", claim.describe(), dedicated::take);
        boolean orderly = false;
        Attempt attempt;
        try {
            attempt = call("acquire", claim.describe(), () -> ready.take(seat, claim));
            orderly = true;
        } finally {
            if (!orderly) {
                dedicated.discard(seat);
            }
        }
        if (attempt instanceof Attempt.Taken taken) {
            return granted(ready, claim, seat, taken);
        }
        dedicated.giveBack(seat);
        return attempt instanceof Attempt.Mismatched mismatched
                ? new AcquireOutcome.Mismatch(mismatched.detail())
                : contended(claim);
    }

    private AcquireOutcome granted(SessionLock ready, Claim claim, Seat seat, Attempt.Taken taken) {
        String session = seat.backend() + "/" + claim.owner();
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < claim.parts().size(); i++) {
            grants.add(new Grant(
                    claim.parts().get(i).name(),
                    claim.owner(),
                    taken.epochs().get(i),
                    claim.lease(),
                    null,
                    session,
                    true));
        }
        Held mine = new Held(claim, List.copyOf(grants), seat, session);
        held.put(claim.owner(), mine);
        lookLater();
        boolean unwanted = isBuried(claim.owner()) || closed;
        if (unwanted && held.remove(claim.owner()) != null) {
            end(ready, mine);
            return contended(claim);
        }
        refusals.remove(claim.owner());
        return new AcquireOutcome.Granted(mine.grants);
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
        SessionLock ready = ready("withdraw", claim.describe());
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
        SessionLock ready = ready("release", "held locks");
        return grants.stream().map(grant -> release(ready, grant)).toList();
    }

    /** A transaction gives back all of its rows or none, so a lock over several names ends with the last of them. */
    private ReleaseOutcome release(SessionLock ready, Grant grant) {
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
    private boolean end(SessionLock ready, Held mine) {
        mine.use.lock();
        try {
            if (mine.ended) {
                return false;
            }
            mine.ended = true;
            boolean stillHeld = ready.giveBack(mine.seat, mine.claim);
            dedicated.giveBack(mine.seat);
            return stillHeld;
        } catch (SQLException broken) {
            // The end of the connection is the end of the lock.
            dedicated.discard(mine.seat);
            return false;
        } catch (HoldfastException untold) {
            // It was given back, but not taken from the roll, where it goes with its session.
            dedicated.discard(mine.seat);
            return true;
        } finally {
            mine.use.unlock();
        }
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return ready("inspect", name).read(name).view();
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return ready("list", prefix).list(prefix).stream()
                .map(Entry::view)
                .flatMap(Optional::stream)
                .limit(limit)
                .toList();
    }

    @Override
    public int evict(String name, String by, String reason) {
        SessionLock ready = ready("evict", name);
        Entry entry = ready.read(name);
        if (!entry.holders().isEmpty()) {
            ready.evict(entry, by, reason);
        }
        return entry.holders().size();
    }

    @Override
    public void ping() {
        ready("ping", "the store");
        database.run("ping", "the store", connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute("SELECT 1");
            }
        });
    }

    @Override
    public void close() {
        closed = true;
        SessionLock known = lock;
        for (Held mine : held.values()) {
            if (known != null) {
                end(known, mine);
            }
        }
        held.clear();
        dedicated.close();
        database.close();
    }

    /** Looks at the connections that hold locks, as long as there are any, each for itself: one may be silent for long. */
    private void lookLater() {
        if (!closed && looking.compareAndSet(false, true)) {
            context.scheduler().schedule(LOOK_INTERVAL, () -> {
                looking.set(false);
                held.values().forEach(this::lookInBackground);
                if (!held.isEmpty()) {
                    lookLater();
                }
            });
        }
    }

    private void lookInBackground(Held mine) {
        if (!mine.lookedAt.compareAndSet(false, true)) {
            return;
        }
        try {
            context.ioExecutor().execute(() -> {
                try {
                    isAlive(mine);
                } finally {
                    mine.lookedAt.set(false);
                }
            });
        } catch (RejectedExecutionException closing) {
            // The client is closed and holds nothing any more.
            mine.lookedAt.set(false);
        }
    }

    /** Asks the connection of a lock for a sign of life; without one the lock is lost, and that is told. */
    private boolean isAlive(Held mine) {
        SessionLock known = lock;
        mine.use.lock();
        try {
            if (mine.ended || known == null) {
                return false;
            }
            if (known.sessionOf(mine.seat) == mine.seat.backend()) {
                return true;
            }
            endLost(mine);
        } catch (SQLException gone) {
            endLost(mine);
        } finally {
            mine.use.unlock();
        }
        held.remove(mine.claim.owner(), mine);
        tellLoss(known, mine);
        return false;
    }

    private void endLost(Held mine) {
        mine.ended = true;
        dedicated.discard(mine.seat);
    }

    /** Tells it at once, with the reason if that is known soon; a database that is silent must not keep the loss back. */
    private void tellLoss(SessionLock known, Held mine) {
        AtomicBoolean told = new AtomicBoolean();
        Runnable cancel = context.scheduler().schedule(REASON_PATIENCE, () -> tell(told, mine, Set.of()));
        try {
            Set<Grant> evicted = new HashSet<>();
            for (Grant grant : mine.grants) {
                if (known.read(grant.name()).isEvicted(grant.epoch())) {
                    evicted.add(grant);
                }
            }
            tell(told, mine, evicted);
            known.strike(mine.claim);
        } catch (HoldfastException unanswered) {
            tell(told, mine, Set.of());
        } finally {
            cancel.run();
        }
    }

    private void tell(AtomicBoolean told, Held mine, Set<Grant> evicted) {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        if (lost.size() > MOST_LOSSES) {
            lost.clear();
        }
        for (Grant grant : mine.grants) {
            LossReason reason = evicted.contains(grant) ? LossReason.EVICTED : LossReason.SESSION_LOST;
            lost.put(mine.claim.owner(), reason);
            context.listener().lost(grant.name(), grant.owner(), grant.epoch(), reason);
        }
        context.listener().sessionLost(mine.session);
    }

    private boolean isBuried(OwnerId owner) {
        Long until = tombstones.get(owner);
        return until != null && until >= context.clock().nanos();
    }

    private SessionLock ready(String operation, String lockName) {
        SessionLock known = lock;
        if (closed) {
            throw new StoreUnavailableException(operation, lockName, new IllegalStateException("the store is closed"));
        }
        if (known == null) {
            Dialect dialect = database.run(operation, lockName, connection -> {
                Dialect found = Dialect.of(connection);
                schema.ensure(found, connection);
                return found;
            });
            known = strategy.apply(database, dialect);
            lock = known;
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
