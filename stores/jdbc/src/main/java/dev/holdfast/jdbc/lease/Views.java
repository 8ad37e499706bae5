package dev.holdfast.jdbc.lease;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.jdbc.dialect.Database;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Looks and changes nothing. Thread-safe. */
final class Views {
    private static final int MOST_PER_STATEMENT = 5_000;

    private final Database database;
    private final LeaseSql sql;
    private final Ledger ledger;

    Views(Database database, LeaseSql sql, Ledger ledger) {
        this.database = database;
        this.sql = sql;
        this.ledger = ledger;
    }

    Optional<LockView> inspect(String name) {
        return database.runSeveral(
                "inspect",
                name,
                connection -> views(connection, List.of(name)).stream().findFirst());
    }

    List<LockView> list(String prefix, int limit) {
        return database.runSeveral("list", prefix, connection -> {
            List<String> names = names(connection, prefix, limit);
            return names.isEmpty()
                    ? List.<LockView>of()
                    : viewsOfMany(connection, names).stream()
                            .filter(view ->
                                    !view.holders().isEmpty() || !view.waiters().isEmpty())
                            .toList();
        });
    }

    private List<String> names(Connection connection, String prefix, int limit) throws SQLException {
        List<String> names = new ArrayList<>();
        boolean bytes = sql.dialect() != Dialect.POSTGRESQL;
        int length = bytes ? prefix.getBytes(StandardCharsets.UTF_8).length : prefix.codePointCount(0, prefix.length());
        try (PreparedStatement statement = connection.prepareStatement(sql.list())) {
            sql.dialect().bindName(statement, 1, prefix);
            statement.setInt(2, length);
            sql.dialect().bindName(statement, 3, prefix);
            statement.setInt(4, limit);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    names.add(sql.dialect().readName(row, 1));
                }
            }
        }
        return names;
    }

    /** A database takes a limited number of values with one statement. */
    private List<LockView> viewsOfMany(Connection connection, List<String> names) throws SQLException {
        List<LockView> views = new ArrayList<>();
        for (int from = 0; from < names.size(); from += MOST_PER_STATEMENT) {
            views.addAll(views(connection, names.subList(from, Math.min(names.size(), from + MOST_PER_STATEMENT))));
        }
        return views;
    }

    private List<LockView> views(Connection connection, List<String> names) throws SQLException {
        long[] now = new long[1];
        Map<String, Line> lines = ledger.read(connection, names, now);
        return lines.values().stream()
                .sorted(Comparator.comparing((Line line) -> line.name))
                .map(line -> view(line, now[0]))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<LockView> view(Line line, long now) {
        line.dropExpired(now);
        List<LockView.Holder> holders = new ArrayList<>();
        if (line.owner != null) {
            holders.add(holder(
                    Objects.requireNonNull(line.party),
                    line.capacity,
                    line.epoch,
                    now - line.since,
                    line.expires - now));
        }
        List<LockView.Waiter> waiters = new ArrayList<>();
        for (Entry entry : line.entries) {
            if (entry.state == Entry.State.HOLDING) {
                holders.add(holder(entry.party, entry.units, entry.epoch, now - entry.since, entry.expires - now));
            } else if (entry.state == Entry.State.WAITING) {
                waiters.add(new LockView.Waiter(
                        entry.party.name(),
                        entry.party.label(),
                        entry.units,
                        Lines.micros(Math.max(0, now - entry.since))));
            }
        }
        holders.sort(Comparator.comparingLong(LockView.Holder::token));
        Optional<LockView.Eviction> eviction = Optional.ofNullable(line.eviction)
                .map(last ->
                        new LockView.Eviction(last.by(), last.reason(), Lines.micros(Math.max(0, now - last.at()))));
        if (holders.isEmpty() && waiters.isEmpty()) {
            return eviction.map(
                    last -> new LockView(line.name, LockKind.EXCLUSIVE, 1, List.of(), List.of(), Optional.of(last)));
        }
        return Optional.of(new LockView(line.name, line.kind, line.capacity, holders, waiters, eviction));
    }

    private static LockView.Holder holder(Entry.Party party, int units, long epoch, long heldMicros, long leftMicros) {
        return new LockView.Holder(
                party.name(),
                party.label(),
                units,
                Grant.token(epoch, 0),
                Lines.micros(Math.max(0, heldMicros)),
                Optional.of(Lines.micros(leftMicros)));
    }
}
