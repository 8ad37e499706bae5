package dev.holdfast.jdbc.lease;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import java.util.Collections;

/**
 * Every statement of the lease strategy. Values are bound; only the table prefix, which was validated, and the clock's
 * expression are part of the text. Immutable.
 */
final class LeaseSql {
    private static final String ROW_COLUMNS = """
            l.name, l.kind, l.capacity, l.owner, l.epoch, l.expires, l.lease, l.since, l.client, l.client_name, l.label,
            l.crowded, l.evicted_low, l.evicted_high, l.evicted_at, l.evicted_by, l.evicted_reason""";

    private static final String ENTRY_COLUMNS = """
            c.name, c.owner, c.state, c.arrival, c.units, c.parts, c.epoch, c.expires, c.lease, c.since,
            c.client, c.client_name, c.label""";

    /** Tells one server of PostgreSQL from every other one, and from itself before a restart: when it was started. */
    static final String PLACE = "CAST(date_part('epoch', pg_postmaster_start_time()) * 1000000 AS BIGINT)";

    private final Dialect dialect;
    private final Epochs epochs;
    private final String prefix;

    /** Those of the uncontended path are made once. */
    private final String acquire;

    private final String takeOver;
    private final String readBack;
    private final String release;

    LeaseSql(Epochs epochs, String prefix) {
        this.dialect = epochs.dialect();
        this.epochs = epochs;
        this.prefix = prefix;
        this.acquire = acquireText();
        this.takeOver = takeOverText();
        this.readBack =
                text("SELECT owner, epoch, expires - ${now}, crowded FROM ${p}lock WHERE name = ? AND owner = ?");
        // What else is known of the holder is left there: without an owner nobody reads it.
        this.release = text("UPDATE ${p}lock SET owner = NULL, expires = 0"
                + " WHERE name = ? AND owner = ? AND epoch = ? AND crowded = 0 AND expires > ${now}");
    }

    Dialect dialect() {
        return dialect;
    }

    String clock() {
        return text("SELECT ${now}, ${ahead}");
    }

    /**
     * Inserts the row or takes over a free or expired one; of a crowded name it takes nothing. Where the statement answers
     * with a row, that row is the grant. On MySQL the grant is read back, because the statement cannot answer.
     */
    String acquire() {
        return acquire;
    }

    /**
     * Takes over a free or expired row, which costs less than an insert that meets a row: on PostgreSQL a third. To read the
     * clock several times costs less than a subquery that reads it once. PostgreSQL answers with the grant, or with no row
     * if there is nothing to take; MySQL and MariaDB with a count and the epoch, see {@link AtOnce}. Not for H2.
     */
    String takeOver() {
        return takeOver;
    }

    private String takeOverText() {
        boolean answersWithRows = !dialect.isMySqlFamily();
        String epoch = "GREATEST(epoch + 1, ${start})";
        return text("""
                UPDATE ${p}lock SET kind = ?, capacity = ?, owner = ?, client = ?, client_name = ?, label = ?, lease = ?,
                    epoch = %s, since = ${now}, expires = ${now} + ?
                WHERE name = ? AND crowded = 0 AND expires <= ${now}""".formatted(answersWithRows ? epoch : "LAST_INSERT_ID(" + epoch + ")")
                + (answersWithRows ? " RETURNING owner, epoch, expires - ${now}, crowded" : ""));
    }

    private String acquireText() {
        return text(
                switch (dialect) {
                    case POSTGRESQL -> """
                        INSERT INTO ${p}lock AS l (name, kind, capacity, owner, client, client_name, label, lease,
                            epoch, expires, since, crowded)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?,
                            GREATEST(${start}, COALESCE((SELECT m.floor_epoch + 1 FROM ${p}meta m), 0)), ${now} + ?, ${now}, 0)
                        ON CONFLICT (name) DO UPDATE SET
                            kind = EXCLUDED.kind, capacity = EXCLUDED.capacity, owner = EXCLUDED.owner,
                            client = EXCLUDED.client, client_name = EXCLUDED.client_name, label = EXCLUDED.label,
                            lease = EXCLUDED.lease, epoch = GREATEST(l.epoch + 1, EXCLUDED.epoch),
                            expires = ${now} + EXCLUDED.lease, since = EXCLUDED.since
                        WHERE l.crowded = 0 AND l.expires <= ${now}
                        RETURNING owner, epoch, expires - ${now}, crowded""";
                    // Assignments run from left to right: the expiry decides, so it is assigned last.
                    case MARIADB -> INSERT_OR_TAKE_OVER + " RETURNING owner, epoch, expires - ${now}, crowded";
                    case MYSQL -> INSERT_OR_TAKE_OVER;
                    case H2 -> """
                        SELECT owner, epoch, expires - ${now}, crowded FROM FINAL TABLE (
                        MERGE INTO ${p}lock l USING (SELECT CAST(? AS VARBINARY(255)) AS name, CAST(? AS SMALLINT) AS kind,
                            CAST(? AS INTEGER) AS capacity, CAST(? AS CHAR(32)) AS owner, CAST(? AS CHAR(32)) AS client,
                            CAST(? AS VARCHAR(200)) AS client_name, CAST(? AS VARCHAR(200)) AS label,
                            CAST(? AS BIGINT) AS lease, ${now} + CAST(? AS BIGINT) AS expires, ${now} AS since,
                            GREATEST(${start}, COALESCE((SELECT m.floor_epoch + 1 FROM ${p}meta m), 0)) AS epoch) v
                        ON l.name = v.name
                        WHEN MATCHED AND l.crowded = 0 AND l.expires <= v.since THEN UPDATE SET
                            kind = v.kind, capacity = v.capacity, owner = v.owner, client = v.client,
                            client_name = v.client_name, label = v.label, lease = v.lease,
                            epoch = GREATEST(l.epoch + 1, v.epoch), expires = v.expires, since = v.since
                        WHEN NOT MATCHED THEN INSERT (name, kind, capacity, owner, client, client_name, label, lease,
                            epoch, expires, since, crowded)
                        VALUES (v.name, v.kind, v.capacity, v.owner, v.client, v.client_name, v.label, v.lease,
                            v.epoch, v.expires, v.since, 0))""";
                });
    }

    /**
     * The time of the row that was to be inserted is the time by which it is judged: reading the clock costs more. The floor
     * is bound, see {@link dev.holdfast.jdbc.dialect.Floor}.
     */
    private static final String INSERT_OR_TAKE_OVER = """
            INSERT INTO ${p}lock (name, kind, capacity, owner, client, client_name, label, lease,
                epoch, expires, since, crowded)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, GREATEST(${start}, ?), ${now} + ?, ${now}, 0)
            ON DUPLICATE KEY UPDATE
                kind = IF(crowded = 0 AND expires <= VALUES(since), VALUES(kind), kind),
                capacity = IF(crowded = 0 AND expires <= VALUES(since), VALUES(capacity), capacity),
                owner = IF(crowded = 0 AND expires <= VALUES(since), VALUES(owner), owner),
                client = IF(crowded = 0 AND expires <= VALUES(since), VALUES(client), client),
                client_name = IF(crowded = 0 AND expires <= VALUES(since), VALUES(client_name), client_name),
                label = IF(crowded = 0 AND expires <= VALUES(since), VALUES(label), label),
                lease = IF(crowded = 0 AND expires <= VALUES(since), VALUES(lease), lease),
                since = IF(crowded = 0 AND expires <= VALUES(since), VALUES(since), since),
                epoch = IF(crowded = 0 AND expires <= VALUES(since), GREATEST(epoch + 1, VALUES(epoch)), epoch),
                expires = IF(crowded = 0 AND expires <= VALUES(since), VALUES(expires), expires)""";

    /** The grant of the statement before, if there was one. */
    String readBack() {
        return readBack;
    }

    /** Gives back what is held by this owner with this epoch, unless somebody waits or it has expired. */
    String release() {
        return release;
    }

    /** Locks rows in the order of their names, so that transactions over several names do not deadlock. */
    String lockRows(int count) {
        return text("SELECT " + ROW_COLUMNS + ", ${now}, ${ahead} FROM ${p}lock l WHERE l.name IN (" + marks(count)
                + ") ORDER BY l.name FOR UPDATE");
    }

    /** Reads entries in a statement of its own, after the rows are locked: an older snapshot could miss a waiter. */
    String lockEntries(int count) {
        return text("SELECT " + ENTRY_COLUMNS + " FROM ${p}claim c WHERE c.name IN (" + marks(count)
                + ") ORDER BY c.name, c.owner FOR UPDATE");
    }

    String readRows(int count) {
        return text(
                "SELECT " + ROW_COLUMNS + ", ${now}, ${ahead} FROM ${p}lock l WHERE l.name IN (" + marks(count) + ")");
    }

    String readEntries(int count) {
        return text("SELECT " + ENTRY_COLUMNS + " FROM ${p}claim c WHERE c.name IN (" + marks(count) + ")");
    }

    /** Makes a free row, whose epoch is not below that of a row that was purged. */
    String createRow() {
        String insert = "INSERT INTO ${p}lock (name, kind, capacity, epoch, expires, lease, since, crowded)";
        String floor = "COALESCE((SELECT m.floor_epoch FROM ${p}meta m), 0)";
        return text(
                switch (dialect) {
                    case POSTGRESQL ->
                        insert + " VALUES (?, 0, 1, " + floor + ", 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING";
                    case MARIADB, MYSQL ->
                        insert + " VALUES (?, 0, 1, ?, 0, 0, 0, 0) ON DUPLICATE KEY UPDATE lease = lease";
                    case H2 ->
                        "MERGE INTO ${p}lock l USING (SELECT CAST(? AS VARBINARY(255)) AS name) v ON l.name = v.name"
                                + " WHEN NOT MATCHED THEN INSERT (name, kind, capacity, epoch, expires, lease, since,"
                                + " crowded) VALUES (v.name, 0, 1, " + floor + ", 0, 0, 0, 0)";
                });
    }

    String updateRow() {
        return text("""
                UPDATE ${p}lock SET kind = ?, capacity = ?, owner = ?, epoch = ?, expires = ?, lease = ?, since = ?,
                    client = ?, client_name = ?, label = ?, crowded = ?,
                    evicted_low = ?, evicted_high = ?, evicted_at = ?, evicted_by = ?, evicted_reason = ?
                WHERE name = ?""");
    }

    /** Rows that nobody holds any more and nobody waits for; what else is known of the holder is left there. */
    String vacateRows(int count) {
        return text("UPDATE ${p}lock SET owner = NULL, expires = 0, crowded = 0 WHERE name IN (" + marks(count) + ")");
    }

    String insertEntries(int count) {
        return text("INSERT INTO ${p}claim (state, arrival, units, parts, epoch, expires, lease, since,"
                + " client, client_name, label, name, owner) VALUES "
                + groups("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", count));
    }

    String updateEntry() {
        return text(
                "UPDATE ${p}claim SET state = ?, arrival = ?, epoch = ?, expires = ?, since = ? WHERE name = ? AND owner = ?");
    }

    /** The names by themselves, so that nothing but their entries is read. */
    String deleteEntries(int count) {
        return text("DELETE FROM ${p}claim WHERE name IN (" + marks(count) + ") AND (name, owner) IN ("
                + groups("(?, ?)", count) + ")");
    }

    /** Tells several clients something. */
    static String notifyAll(int count) {
        return "SELECT pg_notify(n.channel, n.payload) FROM (VALUES "
                + groups("(CAST(? AS text), CAST(? AS text))", count) + ") AS n (channel, payload)";
    }

    /** Extends rows that are held by these owners with these epochs and have not expired. */
    String renewRows(int count) {
        return text("UPDATE ${p}lock SET expires = ${now} + ? WHERE expires > ${now} AND name IN (" + marks(count)
                + ") AND (name, owner, epoch) IN (" + triples(count) + ")");
    }

    String renewEntries(int count) {
        return text("UPDATE ${p}claim SET expires = ${now} + ? WHERE state = 'H' AND expires > ${now} AND name IN ("
                + marks(count) + ") AND (name, owner, epoch) IN (" + triples(count) + ")");
    }

    /** What became of grants: the row, the owner's entry if there is one, and whether somebody waits. */
    String readGrants(int names, int owners) {
        return text("SELECT l.name, l.owner, l.epoch, l.expires - ${now}, c.owner, c.epoch, c.expires - ${now},"
                + " l.evicted_low, l.evicted_high, CASE WHEN l.crowded = 0 THEN 0 ELSE (SELECT COUNT(*) FROM ${p}claim w"
                + " WHERE w.name = l.name AND w.state = 'W' AND w.expires > ${now}) END"
                + " FROM ${p}lock l LEFT JOIN ${p}claim c ON c.name = l.name AND c.state = 'H' AND c.owner IN ("
                + marks(owners) + ") WHERE l.name IN (" + marks(names) + ")");
    }

    /** How waiting claims stand: the row, the claim's entry, and the units of those ahead of it. */
    String readStanding(int names, int owners) {
        return text(
                "SELECT l.name, l.owner, l.epoch, l.expires, l.capacity, ${now}, c.owner, c.state, c.units, c.epoch,"
                        + " c.expires, COALESCE((SELECT SUM(a.units) FROM ${p}claim a WHERE a.name = l.name AND a.expires > ${now}"
                        + " AND (a.state = 'H' OR (a.state = 'W' AND a.arrival < c.arrival))), 0),"
                        + " (SELECT COUNT(*) FROM ${p}claim w WHERE w.name = l.name AND w.state = 'W' AND w.expires > ${now}),"
                        + " COALESCE((SELECT MIN(h.expires) FROM ${p}claim h WHERE h.name = l.name AND h.state = 'H'), 0), l.kind, "
                        + (dialect == Dialect.POSTGRESQL ? PLACE : "0")
                        + " FROM ${p}lock l LEFT JOIN ${p}claim c ON c.name = l.name AND c.owner IN (" + marks(owners)
                        + ") WHERE l.name IN (" + marks(names) + ")");
    }

    /** Waiters that are heard of again. */
    String keepWaiting(int owners, int names) {
        return text("UPDATE ${p}claim SET expires = ${now} + ? WHERE state = 'W' AND expires > ${now} AND owner IN ("
                + marks(owners) + ") AND name IN (" + marks(names) + ")");
    }

    /** Names in use that begin with a prefix. */
    String list() {
        return text("SELECT l.name FROM ${p}lock l WHERE l.name >= ? AND SUBSTRING(l.name FROM 1 FOR ?) = ?"
                + " AND (l.expires > ${now} OR EXISTS (SELECT 1 FROM ${p}claim c WHERE c.name = l.name AND c.state <> 'T'"
                + " AND c.expires > ${now})) ORDER BY l.name LIMIT ?");
    }

    /**
     * Rows whose last grant is not above the floor that was raised at an earlier turn, idle, and without a story; in order,
     * behind one of them. They are locked; one that somebody else has locked is in use after all.
     */
    String lockIdleRows(int most) {
        return text("SELECT l.name FROM ${p}lock l WHERE l.name > ? AND l.crowded = 0 AND l.expires <= ${now}"
                + " AND l.epoch <= ? AND (l.evicted_at IS NULL OR l.evicted_at <= ${now} - ?)"
                + " ORDER BY l.name LIMIT " + most + " FOR UPDATE SKIP LOCKED");
    }

    /** Rows that were locked by the statement before. */
    String deleteRows(int count) {
        return text("DELETE FROM ${p}lock WHERE name IN (" + marks(count) + ")");
    }

    /** Names with entries that expired a while ago and that nobody has looked at since; in order, behind one of them. */
    String expiredEntries(int most) {
        return text("SELECT DISTINCT c.name FROM ${p}claim c WHERE c.name > ? AND c.expires <= ${now} - ?"
                + " ORDER BY c.name LIMIT " + most);
    }

    /** Fills in the prefix and the clock. */
    String text(String template) {
        return epochs.fill(template, prefix);
    }

    private static String marks(int count) {
        return groups("?", count);
    }

    private static String triples(int count) {
        return groups("(?, ?, ?)", count);
    }

    private static String groups(String group, int count) {
        return String.join(", ", Collections.nCopies(count, group));
    }
}
