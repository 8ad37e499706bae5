package dev.holdfast.jdbc.lease;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
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
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
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

    private final Database database;
    private final Schema schema;
    private final StoreContext context;
    private final String client = new OwnerId(RANDOM.nextLong(), RANDOM.nextLong()).toString();
    private final Watch watch;
    private final PurgeTurns purges;

    private final Contention contested = new Contention();
    private final ServerTime serverTime;
    private final Options options;

    /** Before the database has answered. */
    private final boolean likelyPushes;

    private volatile @Nullable Tools tools;
    private volatile boolean closed;

    /**
     * What the user has chosen.
     *
     * @param listen whether to use LISTEN and NOTIFY where there is
     * @param generation counted by the operator
     * @param anyCluster whether clusters that are known not to work are used all the same
     */
    public record Options(boolean listen, int generation, boolean anyCluster) {}

    /**
     * Opens it, without connecting.
     *
     * @param database where the tables are
     * @param schema the tables
     * @param context what the engine lends
     * @param expected the dialect, as far as it is known
     * @param options what the user has chosen
     */
    public LeaseStore(
            Database database, Schema schema, StoreContext context, Optional<Dialect> expected, Options options) {
        this.database = database;
        this.schema = schema;
        this.context = context;
        this.options = options;
        this.likelyPushes =
                options.listen() && expected.filter(Dialect.POSTGRESQL::equals).isPresent();
        this.serverTime = new ServerTime(context.clock());
        this.watch = new Watch(this, context);
        this.purges = new PurgeTurns(
                context, () -> ready("purge", "idle locks").purge().run());
    }

    @Override
    public StoreTraits traits() {
        Tools known = tools;
        return known == null ? LeaseTraits.of(likelyPushes, false) : known.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        Tools ready = ready("acquire", claim.describe());
        Claim.Part first = claim.parts().get(0);
        if (claim.parts().size() == 1 && first.exclusive()) {
            OneTrip oneTrip = claim.queue() ? ready.oneTrip() : null;
            // What is contested is most likely held, and then a place in line takes another request.
            if (!claim.queue() || !contested.isOn(first.name())) {
                Optional<Grant> grant = takeAtOnce(ready, claim);
                if (grant.isPresent()) {
                    return noted(claim, new AcquireOutcome.Granted(List.of(grant.get())));
                }
            }
            Optional<AcquireOutcome> outcome = oneTrip != null
                    ? enter(oneTrip, claim)
                    : claim.queue() ? Optional.empty() : ready.polls().lookAt(claim);
            if (outcome.isPresent()) {
                return noted(claim, outcome.get());
            }
        }
        return acquireInTransaction(claim);
    }

    private Optional<Grant> takeAtOnce(Tools ready, Claim claim) {
        String name = claim.parts().get(0).name();
        AtOnce atOnce = ready.atOnce();
        Optional<Grant> grant;
        if (atOnce.hasSeen(name)) {
            grant = database.run("acquire", name, connection -> atOnce.takeOver(connection, claim));
        } else if (atOnce.takesOneStatement()) {
            grant = database.run("acquire", name, connection -> atOnce.take(connection, claim));
        } else {
            grant = database.runSeveral("acquire", name, connection -> atOnce.take(connection, claim));
        }
        if (grant.isPresent()) {
            contested.remove(name);
        }
        return grant;
    }

    /** Takes what is free or enters the line, in one round trip; empty if the case is not as simple as that. */
    private Optional<AcquireOutcome> enter(OneTrip oneTrip, Claim claim) {
        String name = claim.parts().get(0).name();
        OneTrip.Attempt attempt = database.run("acquire", name, connection -> {
            long sent = context.clock().nanos();
            OneTrip.Attempt answer = oneTrip.enter(connection, claim);
            answer.entered().ifPresent(entered -> serverTime.answered(sent, entered.place(), entered.serverMicros()));
            return answer;
        });
        if (attempt.grant().isPresent()) {
            contested.remove(name);
            return Optional.of(
                    new AcquireOutcome.Granted(List.of(attempt.grant().get())));
        }
        contested.add(name);
        return attempt.entered().map(entered -> new AcquireOutcome.Contended(Lines.hint(entered.leftMicros())));
    }

    /** Reads the clock's and the line's state under the row's lock, so that nothing happens between look and step. */
    AcquireOutcome acquireInTransaction(Claim claim) {
        return noted(
                claim,
                inTransaction("acquire", claim.describe(), Lines.namesOf(claim), true, lines -> lines.acquire(claim)));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        List<AcquireOutcome> outcomes = ready("poll", "waiting claims").polls().poll(claims);
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
        return ready("renew", "held leases").renewals().renew(grants);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        Tools ready = ready("release", grants.get(0).name());
        grants.forEach(grant -> watch.forget(grant.owner()));
        if (grants.size() == 1) {
            return List.of(ready.releases().release(grants.get(0)));
        }
        List<ReleaseOutcome> outcomes = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += SharedReleases.MOST_TOGETHER) {
            int to = Math.min(grants.size(), from + SharedReleases.MOST_TOGETHER);
            outcomes.addAll(releaseInTransaction(grants.subList(from, to)));
        }
        return outcomes;
    }

    /** Gives one grant back, by one statement if that is enough. */
    ReleaseOutcome releaseOne(Grant grant) {
        Tools ready = ready("release", grant.name());
        HandOver handOver = ready.handOver();
        boolean wanted = contested.isOn(grant.name());
        boolean handedOver = handOver != null
                && wanted
                && database.run("release", grant.name(), connection -> handOver.handOver(connection, grant));
        if (handedOver) {
            return ReleaseOutcome.RELEASED;
        }
        // A row with a line is left alone by the statement that gives back as if nobody waited.
        if (wanted && ready.oneTrip() == null) {
            return releaseInTransaction(List.of(grant)).get(0);
        }
        if (database.run("release", grant.name(), connection -> ready.atOnce().release(connection, grant))) {
            contested.remove(grant.name());
            return ReleaseOutcome.RELEASED;
        }
        return releaseInTransaction(List.of(grant)).get(0);
    }

    /** Gives grants back under the locks of their rows, and hands the names over to those who wait. */
    List<ReleaseOutcome> releaseInTransaction(List<Grant> grants) {
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
        return ready("inspect", name).views().inspect(name);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return ready("list", prefix).views().list(prefix, limit);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        ready("evict", name);
        return inTransaction(
                "evict",
                name,
                Set.of(name),
                false,
                lines -> lines.evict(name, epoch, Text.cut(by, Text.NAME), Text.cut(reason, Text.REASON)));
    }

    @Override
    public void ping() {
        Tools ready = ready("ping", "the store");
        database.run("ping", "the store", ready.ledger()::clock);
    }

    @Override
    public void close() {
        closed = true;
        watch.close();
        purges.close();
        database.close();
    }

    Database database() {
        return database;
    }

    StoreContext context() {
        return context;
    }

    Options options() {
        return options;
    }

    String prefix() {
        return schema.prefix();
    }

    Watch watch() {
        return watch;
    }

    String client() {
        return client;
    }

    long now() {
        return context.clock().nanos();
    }

    Contention contested() {
        return contested;
    }

    ServerTime serverTime() {
        return serverTime;
    }

    /** Looks how claims stand, and changes nothing. */
    List<Polls.Seen> look(List<Claim> claims) {
        return ready("poll", "waiting claims").polls().look(claims);
    }

    /** Looks what became of grants, and renews nothing. */
    List<RenewOutcome> lookAtHeld(List<Grant> grants) {
        return ready("look", "held leases").renewals().look(grants);
    }

    /** Runs a step on names whose rows are locked, writes what it changed, and then tells whom it concerns. */
    <R> R inTransaction(
            String operation, String lockName, Collection<String> names, boolean create, Function<Lines, R> step) {
        Tools ready = ready(operation, lockName);
        List<Notice> notices = new ArrayList<>();
        List<Line> seen = new ArrayList<>();
        R result = database.transact(ready.sql().dialect(), operation, lockName, connection -> {
            notices.clear();
            seen.clear();
            Lines lines = ready.ledger().lock(connection, names, create);
            R outcome = step.apply(lines);
            ready.ledger().write(connection, lines);
            notices.addAll(lines.notices());
            seen.addAll(lines.all());
            return outcome;
        });
        if (ready.oneTrip() == null) {
            seen.forEach(line -> contested.note(line, client));
        }
        notices.stream().filter(notice -> notice.client().equals(client)).forEach(watch::hear);
        return result;
    }

    private AcquireOutcome noted(Claim claim, AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Granted granted) {
            contested.noteWanted(granted.grants());
            watch.holds(claim, granted.grants());
        } else if (outcome instanceof AcquireOutcome.Contended && claim.queue()) {
            claim.parts().forEach(part -> contested.add(part.name()));
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
            known = database.runSeveral(operation, lockName, connection -> {
                Dialect dialect = Servers.checked(connection, options.anyCluster());
                schema.ensure(dialect, connection);
                return Tools.of(this, dialect, connection);
            });
            tools = known;
            if (database.connections().isShared()) {
                database.runReserved(operation, lockName, connection -> true);
            }
            purges.begin();
            watch.begin(known.sql().dialect() == Dialect.POSTGRESQL && options.listen());
        }
        return known;
    }
}
