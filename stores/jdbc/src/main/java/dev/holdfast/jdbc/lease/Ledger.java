package dev.holdfast.jdbc.lease;

import dev.holdfast.LockKind;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Floor;
import dev.holdfast.spi.OwnerId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Reads lines from the two tables and writes back what has changed. Thread-safe. */
final class Ledger {
    /** A row that is made and purged again before it can be locked is made anew, this often. */
    private static final int MOST_CREATIONS = 5;

    /** A statement that took longer than a round trip and this has waited for a row, so the time it tells is old. */
    private static final long FRESH_NANOS = 5_000_000;

    /** How many rows one statement writes. */
    private static final int MOST_TOGETHER = 100;

    /** By which part the shortest trip known grows with every look. */
    private static final int GROWTH = 16;

    /** How many values an entry has. */
    private static final int ENTRY_VALUES = 13;

    private final LeaseSql sql;
    private final Floor floor;
    private final String client;
    private final Patience patience;
    private final boolean notifies;

    /** What a statement that waits for nothing takes; a little more with every look, because networks change. */
    private volatile long tripNanos = Long.MAX_VALUE / 2;

    Ledger(LeaseSql sql, Floor floor, String client, Patience patience, boolean notifies) {
        this.patience = patience;
        this.notifies = notifies;
        this.sql = sql;
        this.floor = floor;
        this.client = client;
    }

    /** Locks the rows of names, given in order. Without {@code create}, names without a row are left out. */
    Lines lock(Connection connection, Collection<String> names, boolean create) throws SQLException {
        Map<String, Line> found = new LinkedHashMap<>();
        DatabaseTime time = readLines(connection, sql.lockRows(names.size()), names, found);
        for (int i = 0; create && found.size() < names.size(); i++) {
            if (i == MOST_CREATIONS) {
                throw new SQLException("rows vanish as soon as they are made", "40001");
            }
            long lowest = floor.toBind(connection);
            List<String> missing =
                    names.stream().filter(name -> !found.containsKey(name)).toList();
            for (String name : missing) {
                try (PreparedStatement insert = connection.prepareStatement(sql.createRow())) {
                    dialect().bindName(insert, 1, name);
                    if (dialect().isMySqlFamily()) {
                        insert.setLong(2, lowest);
                    }
                    insert.executeUpdate();
                }
            }
            time = time.laterOf(readLines(connection, sql.lockRows(missing.size()), missing, found));
        }
        List<String> crowded = found.values().stream()
                .filter(line -> line.crowdedInTable)
                .map(line -> line.name)
                .toList();
        if (!crowded.isEmpty()) {
            readEntries(connection, sql.lockEntries(crowded.size()), crowded, found);
        }
        return new Lines(client, patience, time, found.values());
    }

    /** Reads names without locking them; what was told in between may be seen in part. */
    Map<String, Line> read(Connection connection, Collection<String> names, long[] now) throws SQLException {
        Map<String, Line> found = new LinkedHashMap<>();
        now[0] = readLines(connection, sql.readRows(names.size()), names, found).now();
        if (!found.isEmpty()) {
            readEntries(connection, sql.readEntries(names.size()), names, found);
        }
        return found;
    }

    /** Writes what has changed, with as few statements as can be: each is a round trip while rows are locked. */
    void write(Connection connection, Lines lines) throws SQLException {
        List<Entry> inserts = new ArrayList<>();
        List<Entry> updates = new ArrayList<>();
        List<Entry> deletes = new ArrayList<>();
        List<Line> rows = new ArrayList<>();
        List<Line> free = new ArrayList<>();
        if (dialect() == Dialect.POSTGRESQL && !notifies) {
            noteUntold(lines);
        }
        for (Line line : lines.all()) {
            deletes.addAll(line.removed);
            for (Entry entry : line.entries) {
                if (entry.fresh) {
                    inserts.add(entry);
                } else if (entry.changed) {
                    updates.add(entry);
                }
            }
            if (line.isToBeWritten()) {
                (line.isFreeAndNothingElse() ? free : rows).add(line);
            }
        }
        together(connection, sql::deleteEntries, deletes, this::bindDelete);
        together(connection, sql::insertEntries, inserts, this::bindInserts);
        batch(connection, sql.updateEntry(), updates, this::bindUpdate);
        batch(connection, sql.updateRow(), rows, this::bindRow);
        together(
                connection,
                sql::vacateRows,
                free,
                (statement, some) -> bindNames(
                        statement, 1, some.stream().map(line -> line.name).toList()));
        if (dialect() == Dialect.POSTGRESQL && notifies) {
            List<Notice> others = lines.notices().stream()
                    .filter(notice -> !notice.client().equals(client))
                    .toList();
            tell(connection, others);
        }
    }

    private void noteUntold(Lines lines) {
        for (Notice notice : lines.notices()) {
            if (notice.kind() == Notice.Kind.WANTED && !notice.client().equals(client)) {
                lines.all().stream()
                        .filter(line -> line.name.equals(notice.name()))
                        .forEach(line -> {
                            line.untold = true;
                            line.changed = true;
                        });
            }
        }
    }

    private static void tell(Connection connection, List<Notice> notices) throws SQLException {
        for (int from = 0; from < notices.size(); from += MOST_TOGETHER) {
            List<Notice> some = notices.subList(from, Math.min(notices.size(), from + MOST_TOGETHER));
            try (PreparedStatement notify = connection.prepareStatement(LeaseSql.notifyAll(some.size()))) {
                int index = 1;
                for (Notice notice : some) {
                    notify.setString(index, Listening.channelOf(notice.client()));
                    notify.setString(index + 1, notice.text());
                    index += 2;
                }
                notify.executeQuery().close();
            }
        }
    }

    DatabaseTime clock(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql.clock());
                ResultSet row = statement.executeQuery()) {
            row.next();
            return new DatabaseTime(row.getLong(1), row.getLong(2));
        }
    }

    private Dialect dialect() {
        return sql.dialect();
    }

    private DatabaseTime readLines(
            Connection connection, String query, Collection<String> names, Map<String, Line> found)
            throws SQLException {
        DatabaseTime time = null;
        long before = System.nanoTime();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            bindNames(statement, 1, names);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Line line = lineOf(row);
                    found.put(line.name, line);
                    time = new DatabaseTime(row.getLong(18), row.getLong(19));
                }
            }
        }
        long took = System.nanoTime() - before;
        long trip = Math.min(took, tripNanos + tripNanos / GROWTH);
        tripNanos = trip;
        return time == null || took - trip > FRESH_NANOS ? clock(connection) : time;
    }

    private void readEntries(Connection connection, String query, Collection<String> names, Map<String, Line> lines)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            bindNames(statement, 1, names);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Entry entry = entryOf(row);
                    Line line = lines.get(entry.name);
                    if (line != null) {
                        line.entries.add(entry);
                    }
                }
            }
        }
        lines.values().forEach(Line::sort);
    }

    private Line lineOf(ResultSet row) throws SQLException {
        Line line = new Line(dialect().readName(row, 1));
        line.kind = kindOf(row.getInt(2));
        line.capacity = row.getInt(3);
        line.owner = ownerOf(row.getString(4));
        line.epoch = row.getLong(5);
        line.expires = row.getLong(6);
        line.lease = row.getLong(7);
        line.since = row.getLong(8);
        line.party = line.owner == null ? null : party(row, 9);
        line.crowdedInTable = row.getInt(12) != 0;
        long low = row.getLong(13);
        if (!row.wasNull()) {
            line.eviction = new Line.Eviction(
                    low, row.getLong(14), row.getLong(15), text(row.getString(16)), text(row.getString(17)));
        }
        return line;
    }

    private Entry entryOf(ResultSet row) throws SQLException {
        Entry entry = new Entry(
                dialect().readName(row, 1),
                OwnerId.parse(row.getString(2)),
                Entry.State.of(row.getString(3)),
                row.getInt(5),
                row.getInt(6),
                row.getLong(9),
                party(row, 11));
        entry.arrival = row.getLong(4);
        entry.epoch = row.getLong(7);
        entry.expires = row.getLong(8);
        entry.since = row.getLong(10);
        return entry;
    }

    private static Entry.Party party(ResultSet row, int column) throws SQLException {
        return new Entry.Party(
                text(row.getString(column)), text(row.getString(column + 1)), text(row.getString(column + 2)));
    }

    private static LockKind kindOf(int ordinal) {
        LockKind[] kinds = LockKind.values();
        if (ordinal < 0 || ordinal >= kinds.length) {
            throw new StoreMisconfiguredException(
                    "the lock table has a lock of a kind that this release does not know; update Holdfast");
        }
        return kinds[ordinal];
    }

    static @Nullable OwnerId ownerOf(@Nullable String text) {
        return text == null ? null : OwnerId.parse(text);
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    int bindNames(PreparedStatement statement, int first, Collection<String> names) throws SQLException {
        int index = first;
        for (String name : names) {
            dialect().bindName(statement, index, name);
            index++;
        }
        return index;
    }

    private void bindDelete(PreparedStatement statement, List<Entry> entries) throws SQLException {
        int index = bindNames(
                statement, 1, entries.stream().map(entry -> entry.name).toList());
        for (Entry entry : entries) {
            bindKey(statement, index, entry);
            index += 2;
        }
    }

    private void bindInserts(PreparedStatement statement, List<Entry> entries) throws SQLException {
        int index = 1;
        for (Entry entry : entries) {
            bindInsert(statement, index, entry);
            index += ENTRY_VALUES;
        }
    }

    private void bindKey(PreparedStatement statement, int first, Entry entry) throws SQLException {
        dialect().bindName(statement, first, entry.name);
        statement.setString(first + 1, entry.owner.toString());
    }

    private void bindInsert(PreparedStatement statement, int first, Entry entry) throws SQLException {
        statement.setString(first, String.valueOf(entry.state.letter));
        statement.setLong(first + 1, entry.arrival);
        statement.setInt(first + 2, entry.units);
        statement.setInt(first + 3, entry.parts);
        statement.setLong(first + 4, entry.epoch);
        statement.setLong(first + 5, entry.expires);
        statement.setLong(first + 6, entry.lease);
        statement.setLong(first + 7, entry.since);
        statement.setString(first + 8, entry.party.client());
        statement.setString(first + 9, entry.party.name());
        statement.setString(first + 10, entry.party.label());
        bindKey(statement, first + 11, entry);
    }

    private void bindUpdate(PreparedStatement statement, Entry entry) throws SQLException {
        statement.setString(1, String.valueOf(entry.state.letter));
        statement.setLong(2, entry.arrival);
        statement.setLong(3, entry.epoch);
        statement.setLong(4, entry.expires);
        statement.setLong(5, entry.since);
        bindKey(statement, 6, entry);
    }

    private void bindRow(PreparedStatement statement, Line line) throws SQLException {
        Entry.Party party = line.party;
        Line.Eviction eviction = line.eviction;
        statement.setInt(1, line.kind.ordinal());
        statement.setInt(2, line.capacity);
        statement.setString(3, line.owner == null ? null : line.owner.toString());
        statement.setLong(4, line.epoch);
        statement.setLong(5, line.expires);
        statement.setLong(6, line.lease);
        statement.setLong(7, line.since);
        statement.setString(8, party == null ? null : party.client());
        statement.setString(9, party == null ? null : party.name());
        statement.setString(10, party == null ? null : party.label());
        statement.setInt(11, line.crowding());
        if (eviction == null) {
            statement.setNull(12, Types.BIGINT);
            statement.setNull(13, Types.BIGINT);
            statement.setNull(14, Types.BIGINT);
        } else {
            statement.setLong(12, eviction.low());
            statement.setLong(13, eviction.high());
            statement.setLong(14, eviction.at());
        }
        statement.setString(15, eviction == null ? null : eviction.by());
        statement.setString(16, eviction == null ? null : eviction.reason());
        dialect().bindName(statement, 17, line.name);
    }

    private static <T> void together(
            Connection connection, IntFunction<String> query, List<T> items, Binder<List<T>> binder)
            throws SQLException {
        for (int from = 0; from < items.size(); from += MOST_TOGETHER) {
            List<T> some = items.subList(from, Math.min(items.size(), from + MOST_TOGETHER));
            try (PreparedStatement statement = connection.prepareStatement(query.apply(some.size()))) {
                binder.bind(statement, some);
                statement.executeUpdate();
            }
        }
    }

    private static <T> void batch(Connection connection, String query, List<T> items, Binder<T> binder)
            throws SQLException {
        if (items.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            if (items.size() == 1) {
                binder.bind(statement, items.get(0));
                statement.executeUpdate();
                return;
            }
            for (T item : items) {
                binder.bind(statement, item);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** Binds the values of one row, or of several. */
    private interface Binder<T> {
        void bind(PreparedStatement statement, T item) throws SQLException;
    }
}
