package dev.holdfast.jdbc.session;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.Epochs;
import java.util.Collections;

/**
 * The statements on the tables of epochs and holders. Those that read answer with the columns name, evicted_low,
 * evicted_high, evicted_at, evicted_by, evicted_reason, now, kind, capacity, units, epoch (null without a holder),
 * backend, client_name, label, since. Immutable.
 */
final class RegisterSql {
    private final Dialect dialect;
    private final Epochs epochs;
    private final String prefix;

    RegisterSql(Epochs epochs, String prefix) {
        this.dialect = epochs.dialect();
        this.epochs = epochs;
        this.prefix = prefix;
    }

    /**
     * Makes the row of a name or raises its epoch; it is locked from then on. On MySQL and MariaDB the floor is bound, see
     * {@link dev.holdfast.jdbc.dialect.Floor}.
     */
    String raiseEpoch() {
        String floor = dialect.isMySqlFamily() ? "?" : "COALESCE((SELECT m.floor_epoch + 1 FROM ${p}meta m), 0)";
        String values = " (name, epoch) VALUES (?, GREATEST(${start}, " + floor + "))";
        return text(
                switch (dialect) {
                    case POSTGRESQL ->
                        "INSERT INTO ${p}session AS s" + values
                                + " ON CONFLICT (name) DO UPDATE SET epoch = GREATEST(s.epoch + 1, EXCLUDED.epoch)";
                    case MARIADB, MYSQL ->
                        "INSERT INTO ${p}session" + values
                                + " ON DUPLICATE KEY UPDATE epoch = GREATEST(epoch + 1, VALUES(epoch))";
                    case H2 ->
                        "MERGE INTO ${p}session s USING (SELECT CAST(? AS VARBINARY(255)) AS name, GREATEST(${start}, "
                                + floor + ") AS epoch) v ON s.name = v.name WHEN MATCHED THEN UPDATE SET"
                                + " epoch = GREATEST(s.epoch + 1, v.epoch)"
                                + " WHEN NOT MATCHED THEN INSERT (name, epoch) VALUES (v.name, v.epoch)";
                });
    }

    String readEpoch() {
        return text("SELECT epoch FROM ${p}session WHERE name = ?");
    }

    /** Whoever is granted the name raises its epoch, and so waits for this. */
    String lockEpoch() {
        return text("SELECT epoch FROM ${p}session WHERE name = ? FOR UPDATE");
    }

    /** Whoever gives the name back deletes itself from the roll first, and so waits for this. */
    String lockHolders() {
        return text("SELECT owner FROM ${p}holder WHERE name = ? FOR UPDATE");
    }

    String insertHolder() {
        return text(
                "INSERT INTO ${p}holder (name, owner, kind, capacity, units, epoch, backend, client_name, label, since)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ${now})");
    }

    /** The names by themselves, so that nothing but their holders is read. */
    String deleteHolders(int count) {
        return text("DELETE FROM ${p}holder WHERE name IN (" + marks(count) + ") AND (name, owner) IN ("
                + String.join(", ", Collections.nCopies(count, "(?, ?)")) + ")");
    }

    String deleteHolders() {
        return text("DELETE FROM ${p}holder WHERE name = ?");
    }

    /** Those whose session has ended, and what an earlier attempt of the same claim has left. */
    String deleteDeadHolders() {
        return text("DELETE FROM ${p}holder WHERE name = ? AND (owner = ? OR NOT " + isAlive("${p}holder") + ")");
    }

    String noteEviction() {
        return text("UPDATE ${p}session SET evicted_low = ?, evicted_high = ?, evicted_at = ${now}, evicted_by = ?,"
                + " evicted_reason = ? WHERE name = ?");
    }

    String readOne() {
        return text(COLUMNS + " LEFT JOIN ${p}holder h ON h.name = s.name AND " + isAlive("h")
                + " WHERE s.name = ? ORDER BY h.epoch");
    }

    String readMany() {
        return text(COLUMNS + " JOIN (SELECT DISTINCT n.name FROM ${p}holder n WHERE n.name >= ?"
                + " AND SUBSTRING(n.name FROM 1 FOR ?) = ? AND " + isAlive("n") + " ORDER BY n.name LIMIT ?) f"
                + " ON f.name = s.name JOIN ${p}holder h ON h.name = s.name AND " + isAlive("h")
                + " ORDER BY s.name, h.epoch");
    }

    /** Those whose session has ended and who were never heard of again. */
    String deleteForgottenHolders() {
        return text("DELETE FROM ${p}holder WHERE since <= ${now} - ? AND NOT " + isAlive("${p}holder"));
    }

    /**
     * Names that nobody holds, with an epoch that the floor has reached, and without a story; in order, behind one of them.
     *
     * @param free tells of {@code s.name} that nobody holds it in a way that the tables do not know
     */
    String idleNames(String free, int most) {
        return text("SELECT s.name FROM ${p}session s WHERE s.name > ? AND s.epoch <= ?"
                + " AND (s.evicted_at IS NULL OR s.evicted_at <= ${now} - ?)"
                + " AND NOT EXISTS (SELECT 1 FROM ${p}holder h WHERE h.name = s.name) AND " + free
                + " ORDER BY s.name LIMIT " + most);
    }

    String lockRows(int count) {
        return text("SELECT name FROM ${p}row WHERE name IN (" + marks(count)
                + ") AND slot = 0 ORDER BY name FOR UPDATE NOWAIT");
    }

    /** Whoever was granted the name since it was looked at has raised its epoch above the floor. */
    String deleteIdle(int count) {
        return text("DELETE FROM ${p}session WHERE epoch <= ? AND name IN (" + marks(count) + ")");
    }

    String deleteRows(int count) {
        return text("DELETE FROM ${p}row WHERE name IN (" + marks(count) + ")");
    }

    /** For the next turn, see {@link IdleNames}. */
    String markIdle(int count) {
        return text("UPDATE ${p}session SET epoch = 0 WHERE epoch <= ? AND name IN (" + marks(count) + ")");
    }

    private static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    private static final String COLUMNS = "SELECT s.name, s.evicted_low, s.evicted_high, s.evicted_at, s.evicted_by,"
            + " s.evicted_reason, ${now}, h.kind, h.capacity, h.units, h.epoch, h.backend, h.client_name, h.label, h.since"
            + " FROM ${p}session s";

    /**
     * Whoever's session has ended holds nothing, although it could not say so. Databases use numbers of sessions again, so a
     * session that began after the epoch was drawn is another one; on MySQL and MariaDB, after a restart of the server.
     */
    private String isAlive(String holder) {
        return switch (dialect) {
            case POSTGRESQL ->
                "EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = " + holder + ".backend AND (a.backend_start"
                        + " IS NULL OR CAST(EXTRACT(EPOCH FROM a.backend_start) * 1000000 AS BIGINT) - 1735689600000000 <= "
                        + holder + ".since))";
            case MARIADB ->
                "(EXISTS (SELECT 1 FROM information_schema.processlist a WHERE a.id = " + holder + ".backend)"
                        + since(holder, "information_schema.global_status") + ")";
            case MYSQL ->
                "(EXISTS (SELECT 1 FROM information_schema.processlist a WHERE a.id = " + holder + ".backend)"
                        + since(holder, "performance_schema.global_status") + ")";
            case H2 ->
                "EXISTS (SELECT 1 FROM information_schema.sessions a WHERE a.session_id = " + holder
                        + ".backend AND DATEDIFF(MICROSECOND, TIMESTAMP WITH TIME ZONE '2025-01-01 00:00:00+00',"
                        + " a.session_start) <= " + holder + ".since)";
        };
    }

    /** Whether {@link #lives} also ends what it finds: on PostgreSQL, where a pooler may give a session to somebody else. */
    boolean livesEnds() {
        return dialect == Dialect.POSTGRESQL;
    }

    /**
     * Whether there is a session that is as old as this, in microseconds.
     *
     * @param transaction whether it must still be in the transaction that began then, on PostgreSQL
     */
    String lives(boolean transaction) {
        return text(
                switch (dialect) {
                    case POSTGRESQL ->
                        "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = ?"
                                + " AND (a.backend_start IS NULL OR"
                                + " CAST(EXTRACT(EPOCH FROM clock_timestamp() - a.backend_start) * 1000000 AS BIGINT) >= ?)"
                                + (transaction
                                        ? " AND CAST(EXTRACT(EPOCH FROM a.xact_start) * 1000000 AS BIGINT) = ?"
                                        : "");
                    case MARIADB ->
                        LIVES + "information_schema.global_status u WHERE u.variable_name = 'Uptime'), 0) >= ?";
                    case MYSQL ->
                        LIVES + "performance_schema.global_status u WHERE u.variable_name = 'Uptime'), 0) >= ?";
                    case H2 ->
                        "SELECT 1 FROM information_schema.sessions a WHERE a.session_id = ?"
                                + " AND DATEDIFF(MICROSECOND, a.session_start, CURRENT_TIMESTAMP(6)) >= ?";
                });
    }

    /** Numbers of sessions begin again with the server only. */
    private static final String LIVES = "SELECT 1 FROM information_schema.processlist a WHERE a.id = ?"
            + " AND 1000000 * COALESCE((SELECT 1 + CAST(u.variable_value AS SIGNED) FROM ";

    /** Uptime is in whole seconds, so one may be missing. */
    private static String since(String holder, String status) {
        return " AND " + holder
                + ".since >= ${now} - 1000000 * COALESCE((SELECT 1 + CAST(u.variable_value AS SIGNED) FROM " + status
                + " u WHERE u.variable_name = 'Uptime'), 100000000)";
    }

    String session() {
        return "SELECT " + dialect.session();
    }

    String terminate(long backend) {
        return switch (dialect) {
            case POSTGRESQL -> "SELECT pg_terminate_backend(" + backend + ")";
            case MARIADB, MYSQL -> "KILL CONNECTION " + backend;
            case H2 -> "CALL ABORT_SESSION(" + backend + ")";
        };
    }

    private String text(String template) {
        return epochs.fill(template, prefix);
    }
}
