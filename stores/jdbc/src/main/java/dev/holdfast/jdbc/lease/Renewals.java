package dev.holdfast.jdbc.lease;

import dev.holdfast.LossReason;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.RenewOutcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Renews many grants with one statement per length of lease, and reads back what became of them. What counts is what was
 * read: how much is left by the database's clock at that moment. Thread-safe.
 */
final class Renewals {
    private static final int MOST_PER_STATEMENT = 200;

    private final Database database;
    private final LeaseSql sql;
    private final Ledger ledger;
    private final Watch watch;

    /** A grant of a name and an owner, as the database has it. */
    private record Found(long epoch, long leftMicros, boolean wanted, long evictedLow, long evictedHigh) {}

    /** Whose grant of which name. */
    private record Key(String name, OwnerId owner) {}

    Renewals(Database database, LeaseSql sql, Ledger ledger, Watch watch) {
        this.database = database;
        this.sql = sql;
        this.ledger = ledger;
        this.watch = watch;
    }

    List<RenewOutcome> renew(List<Grant> grants) {
        List<RenewOutcome> outcomes = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += MOST_PER_STATEMENT) {
            List<Grant> some = grants.subList(from, Math.min(grants.size(), from + MOST_PER_STATEMENT));
            outcomes.addAll(database.runReserved("renew", "held leases", connection -> renew(connection, some)));
        }
        return outcomes;
    }

    /** Answers as a renewal would, but renews nothing. */
    List<RenewOutcome> look(List<Grant> grants) {
        List<RenewOutcome> outcomes = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += MOST_PER_STATEMENT) {
            List<Grant> some = grants.subList(from, Math.min(grants.size(), from + MOST_PER_STATEMENT));
            Map<Key, Found> found = database.run("look", "held leases", connection -> read(connection, some));
            some.forEach(grant -> outcomes.add(judge(grant, found)));
        }
        return outcomes;
    }

    private List<RenewOutcome> renew(Connection connection, List<Grant> grants) throws SQLException {
        extend(connection, grants);
        Map<Key, Found> found = read(connection, grants);
        return grants.stream().map(grant -> judge(grant, found)).toList();
    }

    /** Gives grants their whole lease again, as far as they are still held. */
    void extend(Connection connection, List<Grant> grants) throws SQLException {
        Map<Duration, List<Grant>> byLease = new TreeMap<>();
        grants.forEach(grant -> byLease.computeIfAbsent(grant.lease(), lease -> new ArrayList<>())
                .add(grant));
        for (Map.Entry<Duration, List<Grant>> same : byLease.entrySet()) {
            List<Grant> sorted = same.getValue().stream()
                    .sorted(Comparator.comparing(Grant::name))
                    .toList();
            extend(connection, sql.renewRows(sorted.size()), same.getKey(), sorted);
            List<Grant> shared = sorted.stream()
                    .filter(grant -> !watch.holdsAll(grant.owner()))
                    .toList();
            if (!shared.isEmpty()) {
                extend(connection, sql.renewEntries(shared.size()), same.getKey(), shared);
            }
        }
    }

    private void extend(Connection connection, String query, Duration lease, List<Grant> grants) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setLong(1, TimeUnit.NANOSECONDS.toMicros(lease.toNanos()));
            int index = ledger.bindNames(
                    statement, 2, grants.stream().map(Grant::name).toList());
            for (Grant grant : grants) {
                sql.dialect().bindName(statement, index, grant.name());
                statement.setString(index + 1, grant.owner().toString());
                statement.setLong(index + 2, grant.epoch());
                index += 3;
            }
            statement.executeUpdate();
        }
    }

    private Map<Key, Found> read(Connection connection, List<Grant> grants) throws SQLException {
        Map<Key, Found> found = new HashMap<>();
        List<String> names = grants.stream().map(Grant::name).distinct().toList();
        List<OwnerId> owners = grants.stream().map(Grant::owner).distinct().toList();
        try (PreparedStatement statement = connection.prepareStatement(sql.readGrants(names.size(), owners.size()))) {
            int index = 1;
            for (OwnerId owner : owners) {
                statement.setString(index, owner.toString());
                index++;
            }
            ledger.bindNames(statement, index, names);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    String name = sql.dialect().readName(row, 1);
                    boolean wanted = row.getLong(10) > 0;
                    OwnerId holder = Ledger.ownerOf(row.getString(2));
                    if (holder != null) {
                        found.put(new Key(name, holder), found(row, 3, wanted));
                    }
                    OwnerId sharer = Ledger.ownerOf(row.getString(5));
                    if (sharer != null) {
                        found.put(new Key(name, sharer), found(row, 6, wanted));
                    }
                    found.put(new Key(name, NOBODY), new Found(0, 0, wanted, row.getLong(8), row.getLong(9)));
                }
            }
        }
        return found;
    }

    /** Stands for the name itself, whose last eviction is wanted although nobody may hold it. */
    private static final OwnerId NOBODY = new OwnerId(0, 0);

    private static Found found(ResultSet row, int column, boolean wanted) throws SQLException {
        return new Found(row.getLong(column), row.getLong(column + 1), wanted, row.getLong(8), row.getLong(9));
    }

    private RenewOutcome judge(Grant grant, Map<Key, Found> found) {
        Found mine = found.get(new Key(grant.name(), grant.owner()));
        if (mine != null && mine.epoch == grant.epoch() && mine.leftMicros > 0) {
            Duration left = Lines.micros(mine.leftMicros);
            watch.renewed(grant.owner());
            return new RenewOutcome.Renewed(left.compareTo(grant.lease()) > 0 ? grant.lease() : left, mine.wanted);
        }
        watch.forget(grant.owner());
        Found name = found.get(new Key(grant.name(), NOBODY));
        boolean evicted = name != null && name.evictedLow <= grant.epoch() && grant.epoch() <= name.evictedHigh;
        return new RenewOutcome.Lost(evicted ? LossReason.EVICTED : LossReason.EXPIRED);
    }
}
