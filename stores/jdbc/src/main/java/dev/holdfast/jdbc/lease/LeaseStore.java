package dev.holdfast.jdbc.lease;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
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
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Locks as rows with an expiry by the database's clock.
 *
 * <p><b>Uncontended</b>, a lock is one row: one statement inserts it or takes over a free or expired one, one statement
 * gives it back, both in autocommit. <b>Contended</b>, shared, or over several names, a transaction locks the rows of the
 * names in order, reads those who wait in a later statement, decides by the grant rule, and hands the lock over. The flag
 * {@code crowded} in the row joins the two: the one-statement forms do nothing on a crowded row, and since they need the
 * row's lock, no waiter that has committed can be missed, nor can a withdrawn claim that left a tombstone.
 *
 * <p>A time that a statement read before it waited for a row is only ever too early, which makes an expiry count later
 * and a lease shorter, never the reverse. Thread-safe.
 */
public final class LeaseStore implements LockStore {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MOST_NAMES_LOCKED = 200;
    private static final int MOST_NAMES_SEEN = 10_000;

    private final Database database;
    private final Schema schema;
    private final StoreContext context;
    private final String client = new OwnerId(RANDOM.nextLong(), RANDOM.nextLong()).toString();
    private final Watch watch;

    /** Names that had a row when this client took them, which it has most likely still. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private final boolean listen;
    private final StoreTraits traits;
    private volatile @Nullable Tools tools;
    private volatile boolean closed;

    /** What is known once the database has answered for the first time. */
    private record Tools(LeaseSql sql, Ledger ledger, Renewals renewals, Polls polls, Views views) {}

    /**
     * Opens it, without connecting.
     *
     * @param database where the tables are
     * @param schema the tables
     * @param context what the engine lends
     * @param expected the dialect, as far as it is known
     * @param listen whether to use LISTEN and NOTIFY where there is
     */
    public LeaseStore(
            Database database, Schema schema, StoreContext context, Optional<Dialect> expected, boolean listen) {
        this.database = database;
        this.schema = schema;
        this.context = context;
        this.listen = listen;
        this.traits =
                traitsOf(listen && expected.filter(Dialect.POSTGRESQL::equals).isPresent());
        this.watch = new Watch(this, context);
    }

    private static StoreTraits traitsOf(boolean pushes) {
        Set<Promise> promises = EnumSet.of(
                Promise.FAIR,
                Promise.SEES_WAITERS,
                Promise.SHARED,
                Promise.SEVERAL_NAMES,
                Promise.ATOMIC_NAMES,
                Promise.BETWEEN_PROCESSES,
                Promise.LOSS_BEFORE_REGRANT,
                Promise.PAUSED_HOLDER_IS_REPLACED,
                Promise.SURVIVES_RESTART);
        if (pushes) {
            promises.add(Promise.PUSHES);
        }
        return new StoreTraits(
                StoreTraits.Expiry.LEASE,
                promises,
                LockOptions.SHORTEST_LEASE,
                Duration.ofDays(3650),
                "committed locks survive a restart; a replica that is promoted without the last commits may grant a"
                        + " lock twice, with tokens that grow by its clock");
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        Tools ready = ready("acquire", claim.describe());
        Claim.Part first = claim.parts().get(0);
        if (claim.parts().size() == 1 && first.exclusive()) {
            Optional<Grant> grant = database.run(
                    "acquire", first.name(), connection -> takeAtOnce(ready.sql, connection, claim, first));
            if (grant.isPresent()) {
                return noted(claim, new AcquireOutcome.Granted(List.of(grant.get())));
            }
            if (!claim.queue()) {
                Optional<AcquireOutcome> refusal = ready.polls.lookAt(claim);
                if (refusal.isPresent()) {
                    return noted(claim, refusal.get());
                }
            }
        }
        return acquireInTransaction(claim);
    }

    /** Reads the clock's and the line's state under the row's lock, so that nothing happens between look and step. */
    AcquireOutcome acquireInTransaction(Claim claim) {
        return noted(
                claim,
                inTransaction("acquire", claim.describe(), Lines.namesOf(claim), true, lines -> lines.acquire(claim)));
    }

    private Optional<Grant> takeAtOnce(LeaseSql sql, Connection connection, Claim claim, Claim.Part part)
            throws SQLException {
        boolean answers = sql.dialect() != Dialect.MYSQL;
        if (sql.dialect() == Dialect.POSTGRESQL && seen.contains(part.name())) {
            // A row that was purged meanwhile is made again by the transaction that follows a refusal.
            try (PreparedStatement statement = connection.prepareStatement(sql.takeOver())) {
                bindHolder(statement, 1, claim, part);
                sql.dialect().bindName(statement, 9, part.name());
                try (ResultSet row = statement.executeQuery()) {
                    return grantOf(row, claim, part);
                }
            }
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.acquire())) {
            sql.dialect().bindName(statement, 1, part.name());
            bindHolder(statement, 2, claim, part);
            if (answers) {
                try (ResultSet row = statement.executeQuery()) {
                    Optional<Grant> grant = grantOf(row, claim, part);
                    grant.ifPresent(granted -> remember(granted.name()));
                    return grant;
                }
            }
            statement.executeUpdate();
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.readBack())) {
            sql.dialect().bindName(statement, 1, part.name());
            statement.setString(2, claim.owner().toString());
            try (ResultSet row = statement.executeQuery()) {
                return grantOf(row, claim, part);
            }
        }
    }

    private void bindHolder(PreparedStatement statement, int first, Claim claim, Claim.Part part) throws SQLException {
        long lease = Entry.micros(claim);
        statement.setInt(first, part.kind().ordinal());
        statement.setInt(first + 1, part.capacity());
        statement.setString(first + 2, claim.owner().toString());
        statement.setString(first + 3, client);
        statement.setString(first + 4, claim.holder().clientName());
        statement.setString(first + 5, claim.holder().label());
        statement.setLong(first + 6, lease);
        statement.setLong(first + 7, lease);
    }

    private void remember(String name) {
        if (seen.size() >= MOST_NAMES_SEEN) {
            seen.clear();
        }
        seen.add(name);
    }

    /**
     * A grant is proved by its owner alone: on MariaDB the row of somebody else is answered too. On a crowded row it may be
     * one of an earlier request, whose reply was lost; whether somebody waits is then found out in a transaction.
     */
    private static Optional<Grant> grantOf(ResultSet row, Claim claim, Claim.Part part) throws SQLException {
        boolean mine = row.next()
                && claim.owner().toString().equals(row.getString(1))
                && row.getLong(3) > 0
                && row.getInt(4) == 0;
        return mine
                ? Optional.of(Grants.of(claim, part.name(), row.getLong(2), row.getLong(3), false))
                : Optional.empty();
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        List<AcquireOutcome> outcomes = ready("poll", "waiting claims").polls.poll(claims);
        for (int i = 0; i < claims.size(); i++) {
            noted(claims.get(i), outcomes.get(i));
        }
        return outcomes;
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        ready("withdraw", claim.describe());
        watch.forget(claim.owner());
        inTransaction("withdraw", claim.describe(), Lines.namesOf(claim), mayStillArrive, lines -> {
            lines.withdraw(claim, mayStillArrive);
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return ready("renew", "held leases").renewals.renew(grants);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        Tools ready = ready("release", grants.get(0).name());
        grants.forEach(grant -> watch.forget(grant.owner()));
        if (grants.size() == 1) {
            Grant grant = grants.get(0);
            boolean released =
                    database.run("release", grant.name(), connection -> releaseAtOnce(ready.sql, connection, grant));
            return List.of(
                    released
                            ? ReleaseOutcome.RELEASED
                            : releaseInTransaction(grants).get(0));
        }
        List<ReleaseOutcome> outcomes = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += MOST_NAMES_LOCKED) {
            outcomes.addAll(
                    releaseInTransaction(grants.subList(from, Math.min(grants.size(), from + MOST_NAMES_LOCKED))));
        }
        return outcomes;
    }

    private static boolean releaseAtOnce(LeaseSql sql, Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.release())) {
            sql.dialect().bindName(statement, 1, grant.name());
            statement.setString(2, grant.owner().toString());
            statement.setLong(3, grant.epoch());
            return statement.executeUpdate() == 1;
        }
    }

    private List<ReleaseOutcome> releaseInTransaction(List<Grant> grants) {
        Set<String> names = new TreeSet<>();
        grants.forEach(grant -> names.add(grant.name()));
        return inTransaction(
                "release",
                String.join(",", names),
                names,
                false,
                lines -> grants.stream().map(lines::release).toList());
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return ready("inspect", name).views.inspect(name);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return ready("list", prefix).views.list(prefix, limit);
    }

    @Override
    public int evict(String name, String by, String reason) {
        ready("evict", name);
        return inTransaction("evict", name, Set.of(name), false, lines -> lines.evict(name, by, reason));
    }

    @Override
    public void ping() {
        Tools ready = ready("ping", "the store");
        database.run("ping", "the store", ready.ledger::clock);
    }

    @Override
    public void close() {
        closed = true;
        watch.close();
        database.close();
    }

    Database database() {
        return database;
    }

    String client() {
        return client;
    }

    /** Looks how claims stand, and changes nothing. */
    List<@Nullable AcquireOutcome> look(List<Claim> claims) {
        return ready("poll", "waiting claims").polls.look(claims);
    }

    /** Tells the engine which grants are wanted and which were taken away. */
    void lookAtHeld(List<Grant> grants) {
        List<RenewOutcome> outcomes = ready("look", "held leases").renewals.look(grants);
        for (int i = 0; i < grants.size(); i++) {
            Grant grant = grants.get(i);
            RenewOutcome outcome = outcomes.get(i);
            if (outcome instanceof RenewOutcome.Renewed still && still.wanted()) {
                context.listener().wanted(grant.name(), grant.epoch());
            } else if (outcome instanceof RenewOutcome.Lost lost && lost.reason() == LossReason.EVICTED) {
                context.listener().lost(grant.name(), grant.owner(), grant.epoch(), lost.reason());
            }
        }
    }

    /** Deletes rows that nobody has used for long, if it is this client's turn. */
    void purge() {
        Tools ready = ready("purge", "idle locks");
        new Purge(this, database, ready.sql).run();
    }

    /** Runs a step on names whose rows are locked, writes what it changed, and then tells whom it concerns. */
    <R> R inTransaction(
            String operation, String lockName, Collection<String> names, boolean create, Function<Lines, R> step) {
        Tools ready = ready(operation, lockName);
        List<Notice> notices = new ArrayList<>();
        R result = database.transact(ready.sql.dialect(), operation, lockName, connection -> {
            notices.clear();
            Lines lines = ready.ledger.lock(connection, names, create);
            R outcome = step.apply(lines);
            ready.ledger.write(connection, lines);
            notices.addAll(lines.notices());
            return outcome;
        });
        notices.stream().filter(notice -> notice.client().equals(client)).forEach(watch::hear);
        return result;
    }

    private AcquireOutcome noted(Claim claim, AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            watch.holds(claim, granted.grants());
        } else if (outcome instanceof AcquireOutcome.Contended && claim.queue()) {
            watch.waitsFor(claim);
        } else {
            watch.forget(claim.owner());
        }
        return outcome;
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
                return toolsFor(new LeaseSql(dialect, schema.prefix()));
            });
            tools = known;
            if (database.connections().isShared()) {
                database.runReserved(operation, lockName, connection -> true);
            }
            watch.begin(known.sql.dialect() == Dialect.POSTGRESQL && listen);
        }
        return known;
    }

    private Tools toolsFor(LeaseSql sql) {
        Ledger ledger = new Ledger(sql, client);
        return new Tools(
                sql,
                ledger,
                new Renewals(database, sql, ledger, watch),
                new Polls(this, database, sql, ledger),
                new Views(database, sql, ledger));
    }
}
