package dev.holdfast.jdbc.advisory;

import dev.holdfast.jdbc.dialect.Epochs;

/** The statements of advisory locks on PostgreSQL. Immutable. */
final class AdvisorySql {
    /** How a session that holds one name calls itself; one that holds several has its epochs in the table. */
    private static final String ALONE = "holdfast ";

    private static final String SEVERAL = "holdfast several ";

    private final Epochs epochs;
    private final String prefix;
    private final String place;

    /** Whoever raises the sequence has it alone, those who draw share it. */
    private final long turn;

    private final String lock;

    AdvisorySql(Epochs epochs, String prefix, String place) {
        this.epochs = epochs;
        this.prefix = prefix;
        this.place = place;
        this.turn = AdvisoryKey.of(place, "");
        this.lock = lockText();
    }

    /**
     * One statement, so that a client that stands still does not keep the turn. It waits for its turn first, and then looks
     * at the sequence, of which every look shows the newest value. Nobody draws meanwhile, so that it cannot be set back.
     */
    String raiseSequence() {
        return text("SELECT CASE WHEN (SELECT last_value FROM ${p}epoch) < ${start}"
                + " THEN setval('${p}epoch', ${start}) END FROM pg_advisory_xact_lock(" + turn + ") AS turn");
    }

    String lock() {
        return lock;
    }

    /**
     * The inner SELECT comes first: lock, then epoch. The outer one sees what was logged by then. While somebody raises the
     * sequence nobody draws, because it would be set back below what was drawn meanwhile. In another session than the one
     * that is known nothing is locked: a pooler would give it to somebody else, together with the lock.
     */
    private String lockText() {
        return text(
                "SELECT t.epoch, pg_backend_pid(), t.called, pg_current_wal_insert_lsn() <= pg_current_wal_flush_lsn(),"
                        + " CASE WHEN t.epoch IS NOT NULL THEN set_config('application_name', CASE WHEN ? THEN '"
                        + ALONE
                        + "' || t.epoch || ' ' || ${now} ELSE '" + SEVERAL + "' || ${now} END, FALSE) END"
                        + " FROM (SELECT current_setting('application_name') AS called,"
                        + " CASE WHEN pg_backend_pid() = ? THEN CASE WHEN pg_try_advisory_lock(?) THEN"
                        + " (SELECT nextval('${p}epoch') FROM pg_advisory_xact_lock_shared(" + turn
                        + ") AS turn) END END AS epoch OFFSET 0) t");
    }

    String unlock() {
        return "SELECT pg_advisory_unlock(?), set_config('application_name', ?, FALSE)";
    }

    /** Takes back the mark of a name that nobody has used for long. */
    String introduce() {
        return text("INSERT INTO ${p}session AS s (name, epoch) VALUES (?, 1)"
                + " ON CONFLICT (name) DO UPDATE SET epoch = 1 WHERE s.epoch = 0");
    }

    /** Even where the database is told not to wait in general. */
    String waitForTheDisk() {
        return "SET LOCAL synchronous_commit = on";
    }

    String note() {
        return text("INSERT INTO ${p}session AS s (name, epoch) VALUES (?, ?)"
                + " ON CONFLICT (name) DO UPDATE SET epoch = GREATEST(s.epoch, EXCLUDED.epoch)");
    }

    String describe() {
        return text("INSERT INTO ${p}seat (backend, started, client_name, label)"
                + " SELECT a.pid, " + started("a") + ", ?, ? FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()"
                + " ON CONFLICT (backend) DO UPDATE SET started = EXCLUDED.started,"
                + " client_name = EXCLUDED.client_name, label = EXCLUDED.label RETURNING backend");
    }

    String deleteDeadSeats() {
        return text("DELETE FROM ${p}seat WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid ="
                + " ${p}seat.backend)");
    }

    String readOne() {
        return text(columns() + " LEFT JOIN " + holders() + " ON TRUE" + SEATS + " WHERE s.name = ?");
    }

    String readMany() {
        return text(columns() + " JOIN " + holders() + " ON TRUE" + SEATS
                + " WHERE s.name >= ? AND SUBSTRING(s.name FROM 1 FOR ?) = ? ORDER BY s.name LIMIT ?");
    }

    /**
     * Ends the session only if it holds the lock with the epoch. The look at the session and its end are one statement, but
     * nothing keeps the session from giving the lock back between the two.
     */
    String terminate() {
        return text("SELECT pg_terminate_backend(h.pid) FROM ${p}session s JOIN " + holders() + " ON TRUE"
                + " WHERE s.name = ? AND " + EPOCH + " = ?");
    }

    private static final String SEATS = " LEFT JOIN ${p}seat d ON d.backend = h.pid AND d.started = h.started";

    private static final String EPOCH = "CASE WHEN h.alone THEN CAST(split_part(h.application_name, ' ', 2) AS BIGINT)"
            + " WHEN h.pid IS NOT NULL THEN s.epoch END";

    /** The columns that the register reads. */
    private static String columns() {
        return "SELECT s.name, s.evicted_low, s.evicted_high, s.evicted_at, s.evicted_by, s.evicted_reason, ${now},"
                + " 0, 1, 1, " + EPOCH + ", h.pid, d.client_name, d.label,"
                + " CASE WHEN h.ours THEN CAST(split_part(h.application_name, ' ', 3) AS BIGINT) ELSE ${now} END"
                + " FROM ${p}session s";
    }

    private String holders() {
        return "LATERAL (SELECT a.pid, a.application_name, a.application_name ~ '^holdfast [0-9]+ [0-9]+$' AS alone,"
                + " a.application_name ~ '^holdfast [a-z0-9]+ [0-9]+$' AS ours, "
                + started("a") + " AS started FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE "
                + isLock(AdvisoryKey.expression(AdvisoryKey.literal(place), "s.name")) + " LIMIT 1) h";
    }

    /** Tells of {@code s.name} that no session has its lock. */
    static String isFree(String place) {
        return "NOT EXISTS (SELECT 1 FROM pg_locks l WHERE " + isLock(AdvisoryKey.expression(place, "s.name")) + ")";
    }

    private static String isLock(String key) {
        return "l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted"
                + " AND l.database = (SELECT b.oid FROM pg_database b WHERE b.datname = current_database())"
                + " AND ((CAST(l.classid AS BIGINT) << 32) | CAST(l.objid AS BIGINT)) = " + key;
    }

    /** When a session began, which is hidden from other roles. */
    private static String started(String session) {
        return "COALESCE(CAST(EXTRACT(EPOCH FROM " + session + ".backend_start) * 1000000 AS BIGINT), 0)";
    }

    private String text(String template) {
        return epochs.fill(template, prefix);
    }
}
