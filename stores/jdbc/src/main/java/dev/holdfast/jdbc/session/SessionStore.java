package dev.holdfast.jdbc.session;

import dev.holdfast.HoldfastException;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import dev.holdfast.jdbc.dialect.Faults;
import dev.holdfast.jdbc.dialect.PurgeTurns;
import dev.holdfast.jdbc.dialect.Schema;
import dev.holdfast.jdbc.dialect.Servers;
import dev.holdfast.jdbc.dialect.Text;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Locks that a session of the database holds: a connection is kept for each lock, and the database frees the lock when
 * that connection ends, for whatever reason. A loss is noticed when the connection is looked at, twice a second, which may
 * be after the database has granted the lock to somebody else. Thread-safe.
 */
public final class SessionStore implements LockStore {
    private static final long TOMBSTONE_NANOS = Duration.ofSeconds(60).toNanos();
    private static final long FIRST_HINT_NANOS = Duration.ofMillis(2).toNanos();
    private static final int MOST_DOUBLINGS = 5;

    /** Up to so many grants a renewal asks for each; of more it takes the last look for an answer. */
    private static final int MOST_ASKED = 4;

    private final Database database;
    private final Schema schema;
    private final StoreContext context;
    private final BiFunction<Database, Epochs, SessionLock> strategy;
    private final int generation;
    private final boolean anyCluster;
    private volatile StoreTraits traits;
    private final Dedicated dedicated;
    private final Orphans orphans;
    private final Holdings holdings;
    private final PurgeTurns purges;
    private final Map<OwnerId, Long> tombstones = new ConcurrentHashMap<>();
    private final Map<OwnerId, Integer> refusals = new ConcurrentHashMap<>();
    private volatile @Nullable SessionLock lock;
    private volatile boolean closed;

    /**
     * Opens it, without connecting.
     *
     * @param database where the tables are
     * @param schema the tables
     * @param context what the engine lends
     * @param strategy makes the locks
     * @param traits what they promise as far as it is known before the database has answered
     * @param most how many connections may hold locks at the same time
     * @param generation what the operator has set
     * @param anyCluster whether clusters that are known not to work are used all the same
     */
    public SessionStore(
            Database database,
            Schema schema,
            StoreContext context,
            BiFunction<Database, Epochs, SessionLock> strategy,
            StoreTraits traits,
            int most,
            int generation,
            boolean anyCluster) {
        this.database = database;
        this.schema = schema;
        this.context = context;
        this.strategy = strategy;
        this.traits = traits;
        this.generation = generation;
        this.anyCluster = anyCluster;
        this.dedicated = new Dedicated(database.connections(), most);
        this.orphans = new Orphans(context);
        this.holdings = new Holdings(context, dedicated, orphans);
        this.purges = new PurgeTurns(context, () -> ready("purge", "idle locks").purge());
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        SessionLock ready = ready("acquire", claim.describe());
        Held known = holdings.get(claim.owner());
        if (known != null) {
            return holdings.isAlive(known) ? new AcquireOutcome.Granted(known.grants) : contended(claim);
        }
        if (isBuried(claim.owner())) {
            return contended(claim);
        }
        // What an earlier request of the same claim may have locked would be in the way.
        orphans.end(claim.owner());
        call("acquire", claim.describe(), () -> ready.prepare(claim));
        Seat seat = call("acquire", claim.describe(), dedicated::take);
        boolean orderly = false;
        Attempt attempt;
        try {
            attempt = call("acquire", claim.describe(), () -> ready.take(dedicated.limited(seat), claim));
            orderly = true;
        } finally {
            if (!orderly) {
                orphans.add(claim.owner(), ready, seat);
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
        Held mine = new Held(claim, List.copyOf(grants), seat, session, ready);
        dedicated.holds(seat);
        holdings.add(mine);
        boolean unwanted = isBuried(claim.owner()) || closed;
        if (unwanted && holdings.remove(claim.owner()) != null) {
            holdings.end(mine);
            return contended(claim);
        }
        refusals.remove(claim.owner());
        return new AcquireOutcome.Granted(mine.grants);
    }

    private AcquireOutcome contended(Claim claim) {
        int before = claim.queue() ? refusals.merge(claim.owner(), 1, Integer::sum) : 1;
        return new AcquireOutcome.Contended(Duration.ofNanos(FIRST_HINT_NANOS << Math.min(before, MOST_DOUBLINGS)));
    }

    /**
     * Asks for one after another, because each may need a connection of its own, as long as half of the call's time is left:
     * what begins later might have to be broken off, and its connection with it. The rest is asked for by later calls.
     */
    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        int enough = database.connections().commandTimeoutMillis() / 2;
        List<AcquireOutcome> outcomes = new ArrayList<>();
        for (Claim claim : claims) {
            boolean first = outcomes.isEmpty();
            outcomes.add(first || dedicated.remainingMillis() >= enough ? poll(claim) : notAsked(claim));
        }
        if (outcomes.stream().allMatch(AcquireOutcome.Unknown.class::isInstance)) {
            throw ((AcquireOutcome.Unknown) outcomes.get(0)).cause();
        }
        return outcomes;
    }

    /** One that is not answered does not keep the others from hearing what is told to them. */
    private AcquireOutcome poll(Claim claim) {
        try {
            return tryAcquire(claim);
        } catch (HoldfastException unanswered) {
            return new AcquireOutcome.Unknown(unanswered);
        }
    }

    private static AcquireOutcome notAsked(Claim claim) {
        return new AcquireOutcome.Unknown(new StoreUnavailableException("acquire", claim.describe(), null));
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        ready("withdraw", claim.describe());
        refusals.remove(claim.owner());
        if (mayStillArrive) {
            long now = context.clock().nanos();
            tombstones.values().removeIf(until -> until < now);
            tombstones.put(claim.owner(), now + TOMBSTONE_NANOS);
        }
        Held mine = holdings.remove(claim.owner());
        if (mine != null) {
            holdings.end(mine);
        }
        orphans.end(claim.owner());
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        ready("renew", "held locks");
        // To ask for many, one after another, would take longer than a call may.
        boolean few = grants.size() <= MOST_ASKED;
        return grants.stream().map(grant -> renew(grant, few)).toList();
    }

    private RenewOutcome renew(Grant grant, boolean ask) {
        Held mine = holdings.get(grant.owner());
        try {
            if (mine != null && mine.matches(grant) && (ask ? holdings.isAlive(mine) : holdings.isKnownAlive(mine))) {
                return new RenewOutcome.Renewed(null, true);
            }
        } catch (StoreUnavailableException unanswered) {
            return new RenewOutcome.Unknown(unanswered);
        }
        return new RenewOutcome.Lost(holdings.reasonOfLoss(grant.owner()));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        ready("release", "held locks");
        List<ReleaseOutcome> outcomes = new ArrayList<>();
        Map<Integer, Held> last = new HashMap<>();
        for (Grant grant : grants) {
            Held mine = holdings.get(grant.owner());
            if (mine == null || !mine.matches(grant) || !mine.giveBack(grant.name())) {
                outcomes.add(again(grant));
                continue;
            }
            if (mine.isGivenBack()) {
                last.put(outcomes.size(), mine);
            }
            outcomes.add(ReleaseOutcome.RELEASED);
        }
        // A transaction gives back all of its rows or none, so a lock over several names ends with the last of them.
        Map<Held, ReleaseOutcome> ended = holdings.end(last.values());
        last.forEach((index, mine) -> {
            holdings.remove(mine.claim.owner());
            outcomes.set(index, ended.get(mine));
        });
        return outcomes;
    }

    /** What was given back before and not answered is asked for once more; what was lost before is not held. */
    private ReleaseOutcome again(Grant grant) {
        if (!orphans.contains(grant.owner())) {
            return ReleaseOutcome.NOT_HELD;
        }
        try {
            orphans.end(grant.owner());
            return holdings.hasTold(grant.owner()) ? ReleaseOutcome.NOT_HELD : ReleaseOutcome.RELEASED;
        } catch (StoreUnavailableException unanswered) {
            return new ReleaseOutcome.Unknown(unanswered);
        }
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return ready("inspect", name).read(name).view();
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return ready("list", prefix).list(prefix, limit).stream()
                .map(Roll::view)
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        SessionLock ready = ready("evict", name);
        Roll entry = ready.read(name).only(epoch);
        return entry.holders().isEmpty()
                ? 0
                : ready.evict(entry, Text.cut(by, Text.NAME), Text.cut(reason, Text.REASON));
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
        purges.close();
        holdings.close();
        orphans.close();
        dedicated.close();
        database.close();
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
            Epochs epochs = database.runSeveral(operation, lockName, connection -> {
                Dialect found = Servers.checked(connection, anyCluster);
                schema.ensure(found, connection);
                return Epochs.of(found, connection, generation);
            });
            if (database.connections().isShared()) {
                database.runReserved(operation, lockName, connection -> true);
            }
            known = strategy.apply(database, epochs);
            traits = SessionTraits.of(known.shares());
            lock = known;
            purges.begin();
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
