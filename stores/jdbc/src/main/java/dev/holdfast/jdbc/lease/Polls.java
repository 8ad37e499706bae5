package dev.holdfast.jdbc.lease;

import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Asks how waiting claims stand, all of them in one statement that locks nothing. Only a claim that could be granted now,
 * or that has dropped out of line, is taken to a transaction. Thread-safe.
 */
final class Polls {
    private static final int MOST_PER_STATEMENT = 200;

    private final LeaseStore store;
    private final Database database;
    private final LeaseSql sql;
    private final Ledger ledger;
    private final Patience patience;
    private final Renewals renewals;

    /** One name as one claim sees it; times in microseconds. */
    private record Standing(
            @Nullable OwnerId holder,
            long epoch,
            long expires,
            int capacity,
            long now,
            Entry.@Nullable State state,
            int units,
            long entryEpoch,
            long entryExpires,
            long ahead,
            long waiters,
            long firstShared,
            int kind) {}

    /** Where a claim stands in line. */
    enum Place {
        /** Whole names are held, and it is the next to have them. */
        NEXT,
        /** A whole name is held, and somebody else is the next to have it. */
        BEHIND,
        /** Units are held, or it does not stand in line. */
        UNKNOWN
    }

    /** How a claim stands. */
    private record Verdict(@Nullable AcquireOutcome outcome, boolean impatient, Place place) {
        Verdict(@Nullable AcquireOutcome outcome) {
            this(outcome, false, Place.UNKNOWN);
        }
    }

    /**
     * What was seen of a claim.
     *
     * @param outcome null if it might get something by asking
     * @param place where it stands in line
     * @param sentNanos when the statement was sent that saw it; to get a connection may have taken long before that
     */
    record Seen(@Nullable AcquireOutcome outcome, Place place, long sentNanos) {}

    /** One name and one owner. */
    private record Key(String name, @Nullable OwnerId owner) {}

    Polls(LeaseStore store, Database database, LeaseSql sql, Ledger ledger, Patience patience, Renewals renewals) {
        this.store = store;
        this.renewals = renewals;
        this.database = database;
        this.sql = sql;
        this.ledger = ledger;
        this.patience = patience;
    }

    /** Answers claims that stand in line, and brings those forward that can be. */
    List<AcquireOutcome> poll(List<Claim> claims) {
        List<Seen> seen = look(claims);
        List<AcquireOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            @Nullable AcquireOutcome outcome = seen.get(i).outcome;
            outcomes.add(outcome != null ? outcome : store.acquireInTransaction(claims.get(i)));
        }
        return outcomes;
    }

    /** Looks only, and keeps places in line. */
    List<Seen> look(List<Claim> claims) {
        List<Seen> seen = new ArrayList<>();
        for (int from = 0; from < claims.size(); from += MOST_PER_STATEMENT) {
            List<Claim> some = claims.subList(from, Math.min(claims.size(), from + MOST_PER_STATEMENT));
            seen.addAll(database.runSeveral("poll", "waiting claims", connection -> look(connection, some)));
        }
        return seen;
    }

    /** Looks at a claim for one whole name that was just refused and does not want to wait; empty if that is not enough. */
    Optional<AcquireOutcome> lookAt(Claim claim) {
        Claim.Part part = claim.parts().get(0);
        return database.run("acquire", part.name(), connection -> {
            Map<Key, Standing> standings = read(connection, List.of(claim));
            Standing name = standings.get(new Key(part.name(), null));
            if (name == null || standings.containsKey(new Key(part.name(), claim.owner()))) {
                return Optional.empty();
            }
            boolean heldByAnother =
                    name.holder != null && !name.holder.equals(claim.owner()) && name.expires > name.now;
            // Nothing but a plain lock is judged from outside: the rest needs the row's lock.
            return heldByAnother && name.kind == part.kind().ordinal() && name.capacity == 1 && part.capacity() == 1
                    ? Optional.of(new AcquireOutcome.Contended(Lines.hint(name.expires - name.now)))
                    : Optional.empty();
        });
    }

    private List<Seen> look(Connection connection, List<Claim> claims) throws SQLException {
        long sent = store.now();
        Map<Key, Standing> standings = extended(connection, claims, read(connection, claims));
        List<Seen> outcomes = new ArrayList<>();
        List<Claim> impatient = new ArrayList<>();
        for (Claim claim : claims) {
            Verdict verdict = judge(claim, standings);
            outcomes.add(new Seen(verdict.outcome, verdict.place, sent));
            if (verdict.impatient) {
                impatient.add(claim);
            }
        }
        Map<Long, List<Claim>> byPatience = new TreeMap<>();
        impatient.forEach(claim -> byPatience
                .computeIfAbsent(patience.microsFor(claim), same -> new ArrayList<>())
                .add(claim));
        for (Map.Entry<Long, List<Claim>> same : byPatience.entrySet()) {
            keepWaiting(connection, same.getKey(), same.getValue());
        }
        return outcomes;
    }

    /**
     * A grant that was handed over a while ago, as in an outage, has little left. It gets its whole lease before anybody
     * uses it: a renewal afterwards might come too late.
     */
    private Map<Key, Standing> extended(Connection connection, List<Claim> claims, Map<Key, Standing> standings)
            throws SQLException {
        List<Grant> brief = new ArrayList<>();
        for (Claim claim : claims) {
            if (judge(claim, standings).outcome instanceof AcquireOutcome.Granted granted
                    && granted.grants().stream().anyMatch(Polls::isBrief)) {
                brief.addAll(granted.grants());
            }
        }
        if (brief.isEmpty()) {
            return standings;
        }
        renewals.extend(connection, brief);
        return read(connection, claims);
    }

    private static boolean isBrief(Grant grant) {
        Duration handedOver = Lines.micros(Lines.PROVISIONAL_MICROS);
        Duration first = grant.lease().compareTo(handedOver) < 0 ? grant.lease() : handedOver;
        Duration left = grant.validFor();
        return left != null && left.compareTo(first.dividedBy(2)) < 0;
    }

    private Verdict judge(Claim claim, Map<Key, Standing> standings) {
        List<Grant> grants = new ArrayList<>();
        boolean waits = true;
        boolean fits = true;
        boolean impatient = false;
        boolean wholeHeld = true;
        boolean next = true;
        long hint = Long.MAX_VALUE;
        for (Claim.Part part : claim.parts()) {
            Standing name = standings.get(new Key(part.name(), null));
            Standing mine = standings.get(new Key(part.name(), claim.owner()));
            if (name == null) {
                return new Verdict(null);
            }
            boolean held = name.holder != null && name.expires > name.now;
            boolean alive = mine != null && mine.entryExpires > mine.now;
            if (mine != null && alive && mine.state == Entry.State.TOMBSTONE) {
                return new Verdict(new AcquireOutcome.Contended(Lines.hint(Long.MAX_VALUE)));
            }
            if (held && claim.owner().equals(name.holder)) {
                grants.add(Grants.of(claim, part.name(), name.epoch, name.expires - name.now, name.waiters > 0));
            } else if (mine != null && alive && mine.state == Entry.State.HOLDING) {
                grants.add(
                        Grants.of(claim, part.name(), mine.entryEpoch, mine.entryExpires - mine.now, mine.waiters > 0));
            }
            waits &= mine != null && alive && mine.state == Entry.State.WAITING;
            fits &= mine != null && (held ? name.capacity : 0) + mine.ahead + mine.units <= name.capacity;
            // Where whole names are held, all that is ahead of a waiter waits, too.
            wholeHeld &= held;
            next &= mine != null && mine.ahead == 0;
            impatient |= mine != null && patience.isDue(claim, mine.entryExpires - mine.now);
            hint = held ? Math.min(hint, name.expires - name.now) : hint;
            hint = name.firstShared > 0 ? Math.min(hint, name.firstShared - name.now) : hint;
        }
        if (grants.size() == claim.parts().size()) {
            return new Verdict(new AcquireOutcome.Granted(grants));
        }
        Place place = !wholeHeld ? Place.UNKNOWN : next ? Place.NEXT : Place.BEHIND;
        return waits && !fits
                ? new Verdict(new AcquireOutcome.Contended(Lines.hint(hint)), impatient, place)
                : new Verdict(null);
    }

    /** One statement for all: an owner is of one claim, so it has entries under that claim's names only. */
    private void keepWaiting(Connection connection, long patienceMicros, List<Claim> claims) throws SQLException {
        TreeSet<String> names = new TreeSet<>();
        claims.forEach(claim -> names.addAll(Lines.namesOf(claim)));
        try (PreparedStatement statement = connection.prepareStatement(sql.keepWaiting(claims.size(), names.size()))) {
            statement.setLong(1, patienceMicros);
            int index = 2;
            for (Claim claim : claims) {
                statement.setString(index, claim.owner().toString());
                index++;
            }
            ledger.bindNames(statement, index, names);
            statement.executeUpdate();
        }
    }

    private Map<Key, Standing> read(Connection connection, List<Claim> claims) throws SQLException {
        TreeSet<String> names = new TreeSet<>();
        claims.forEach(claim -> names.addAll(Lines.namesOf(claim)));
        Map<Key, Standing> standings = new HashMap<>();
        long sent = store.now();
        try (PreparedStatement statement = connection.prepareStatement(sql.readStanding(names.size(), claims.size()))) {
            int index = 1;
            for (Claim claim : claims) {
                statement.setString(index, claim.owner().toString());
                index++;
            }
            ledger.bindNames(statement, index, names);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String name = sql.dialect().readName(row, 1);
                    Standing standing = standing(row);
                    store.serverTime().answered(sent, row.getLong(16), standing.now);
                    OwnerId owner = Ledger.ownerOf(row.getString(7));
                    standings.put(new Key(name, null), standing);
                    if (owner != null) {
                        standings.put(new Key(name, owner), standing);
                    }
                }
            }
        }
        return standings;
    }

    private static Standing standing(ResultSet row) throws SQLException {
        @Nullable String state = row.getString(8);
        return new Standing(
                Ledger.ownerOf(row.getString(2)),
                row.getLong(3),
                row.getLong(4),
                row.getInt(5),
                row.getLong(6),
                state == null ? null : Entry.State.of(state),
                row.getInt(9),
                row.getLong(10),
                row.getLong(11),
                row.getLong(12),
                row.getLong(13),
                row.getLong(14),
                row.getInt(15));
    }
}
