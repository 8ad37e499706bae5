package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The two steps of a contended plain lock, each in one round trip: to enter the line, and to hand over to its head. Both
 * decide as {@link Lines} does, for the one case that is common: somebody holds the whole name, and its head wants the
 * whole name and no other. In every other case they change nothing and answer so, and a transaction decides.
 *
 * <p>PostgreSQL only. Statements that its driver sends together are one transaction there, and at READ COMMITTED each
 * has a view of its own: the last one reads the line after the one before has locked the row, so it misses nobody who
 * has committed. At another isolation it changes nothing. Immutable.
 */
final class OneTrip implements HandOver {
    private static final String AT_READ_COMMITTED = "current_setting('transaction_isolation') = 'read committed'";

    private final String enter;
    private final String handOver;
    private final AtOnce atOnce;
    private final String client;
    private final Patience patience;

    /**
     * A claim stands in line.
     *
     * @param serverMicros the server's time
     * @param place which server it is
     * @param leftMicros what the holder has left
     */
    record Entered(long serverMicros, long place, long leftMicros) {}

    /** What came of an attempt: a grant, or a place in line, or neither. */
    record Attempt(Optional<Grant> grant, Optional<Entered> entered) {}

    OneTrip(LeaseSql sql, AtOnce atOnce, String client, Patience patience, boolean notifies) {
        this.atOnce = atOnce;
        this.client = client;
        this.patience = patience;
        String lockRow = sql.text("SELECT 1 FROM ${p}lock WHERE name = ? FOR UPDATE");
        this.enter = sql.takeOver() + ";\n" + lockRow + ";\n" + sql.text(notifying(enterText(notifies), notifies));
        this.handOver = lockRow + ";\n" + sql.text(notifying(handOverText(), notifies));
    }

    /** Who does not want notifications does not send them either; whoever waits then looks twice a second. */
    private static String notifying(String text, boolean notifies) {
        return notifies ? text : text.replace("pg_notify(", "concat(");
    }

    /**
     * The holder is told of the first who waits and can tell it. Whoever tells nobody anything leaves a mark in the row,
     * instead of which the next one tells.
     */
    private static String enterText(boolean notifies) {
        return """
                WITH l AS MATERIALIZED (
                    SELECT l.name, l.owner, l.client, l.epoch, l.expires, l.crowded, n.now
                    FROM ${p}lock l, (SELECT ${now} AS now OFFSET 0) n
                    WHERE l.name = ? AND l.owner <> ? AND l.expires > n.now AND l.kind = ? AND l.capacity = ?
                        AND NOT EXISTS (SELECT 1 FROM ${p}claim c WHERE c.name = l.name AND c.owner = ?)
                        AND %s),
                w AS MATERIALIZED (
                    SELECT MAX(c.arrival) AS last, BOOL_OR(c.expires > l.now) AS alive
                    FROM ${p}claim c, l WHERE c.name = l.name AND c.state = 'W'),
                e AS (
                    INSERT INTO ${p}claim (name, owner, state, arrival, units, parts, epoch, expires, lease, since,
                        client, client_name, label)
                    SELECT l.name, ?, 'W', GREATEST(l.now, COALESCE(w.last + 1, 0)), ?, 1, 0, l.now + ?, ?, l.now, ?, ?, ?
                    FROM l, w),
                u AS (UPDATE ${p}lock k SET crowded = %d FROM l, w WHERE k.name = l.name AND %s)
                SELECT l.now, %s, l.expires - l.now,
                    CASE WHEN w.alive IS TRUE AND l.crowded <> %d THEN NULL
                        ELSE pg_notify('%s' || l.client, '%c ' || l.owner || ' ' || l.epoch || ' ' || l.name) END
                FROM l, w""".formatted(
                        AT_READ_COMMITTED,
                        notifies ? Line.TOLD : Line.UNTOLD,
                        notifies ? "k.crowded <> " + Line.TOLD : "w.alive IS NOT TRUE",
                        LeaseSql.PLACE,
                        Line.UNTOLD,
                        Listening.CHANNEL_PREFIX,
                        Notice.Kind.WANTED.letter);
    }

    /** Others in the claim table keep the row crowded, also expired ones: a transaction sweeps those away. */
    private static String handOverText() {
        return """
                WITH l AS MATERIALIZED (
                    SELECT l.name, l.capacity, l.epoch, n.now
                    FROM ${p}lock l, (SELECT ${now} AS now OFFSET 0) n
                    WHERE l.name = ? AND l.owner = ? AND l.epoch = ? AND l.expires > n.now AND %s),
                h AS MATERIALIZED (
                    SELECT c.*, l.capacity, l.now, GREATEST(l.epoch + 1, l.now + ${ahead}) AS granted,
                        LEAST(c.lease, %d) AS valid
                    FROM ${p}claim c, l WHERE c.name = l.name AND c.state = 'W' AND c.expires > l.now
                    ORDER BY c.arrival, c.owner LIMIT 1),
                s AS MATERIALIZED (
                    SELECT h.*,
                        EXISTS (SELECT 1 FROM ${p}claim o WHERE o.name = h.name AND o.owner <> h.owner) AS others,
                        EXISTS (SELECT 1 FROM ${p}claim o WHERE o.name = h.name AND o.owner <> h.owner
                            AND o.state = 'W' AND o.expires > h.now) AS wanted
                    FROM h WHERE h.parts = 1 AND h.units = h.capacity),
                d AS (DELETE FROM ${p}claim c USING s WHERE c.name = s.name AND c.owner = s.owner),
                u AS (
                    UPDATE ${p}lock k SET owner = s.owner, epoch = s.granted, expires = s.now + s.valid,
                        lease = s.lease, since = s.now, client = s.client, client_name = s.client_name, label = s.label,
                        crowded = CASE WHEN s.others THEN 1 ELSE 0 END
                    FROM s WHERE k.name = s.name)
                SELECT pg_notify('%s' || s.client, '%c ' || s.owner || ' ' || s.granted || ':' || s.now || ':' || %s
                    || ':' || s.valid || ':' || CASE WHEN s.wanted THEN 1 ELSE 0 END || ' ' || s.name)
                FROM s""".formatted(
                        AT_READ_COMMITTED,
                        Lines.PROVISIONAL_MICROS,
                        Listening.CHANNEL_PREFIX,
                        Notice.Kind.GRANTED.letter,
                        LeaseSql.PLACE);
    }

    /** Takes a name that is free and enters the line of one that is held. */
    Attempt enter(Connection connection, Claim claim) throws SQLException {
        Claim.Part part = claim.parts().get(0);
        try (PreparedStatement statement = connection.prepareStatement(enter)) {
            int next = atOnce.bindTakeOver(statement, claim, part);
            statement.setString(next, part.name());
            bindEntry(statement, next + 1, claim, part);
            statement.execute();
            Optional<Grant> grant;
            try (ResultSet row = statement.getResultSet()) {
                grant = AtOnce.grantOf(row, claim);
            }
            statement.getMoreResults();
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                return new Attempt(
                        grant,
                        row.next()
                                ? Optional.of(new Entered(row.getLong(1), row.getLong(2), row.getLong(3)))
                                : Optional.empty());
            }
        }
    }

    private void bindEntry(PreparedStatement statement, int first, Claim claim, Claim.Part part) throws SQLException {
        String owner = claim.owner().toString();
        statement.setString(first, part.name());
        statement.setString(first + 1, owner);
        statement.setInt(first + 2, part.kind().ordinal());
        statement.setInt(first + 3, part.capacity());
        statement.setString(first + 4, owner);
        statement.setString(first + 5, owner);
        statement.setInt(first + 6, part.units());
        statement.setLong(first + 7, patience.microsFor(claim));
        statement.setLong(first + 8, Entry.micros(claim));
        statement.setString(first + 9, client);
        statement.setString(first + 10, claim.holder().clientName());
        statement.setString(first + 11, claim.holder().label());
    }

    /** Gives a grant back to the head of the line; false if there is none that could have it like this. */
    @Override
    public boolean handOver(Connection connection, Grant grant) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(handOver)) {
            statement.setString(1, grant.name());
            statement.setString(2, grant.name());
            statement.setString(3, grant.owner().toString());
            statement.setLong(4, grant.epoch());
            statement.execute();
            statement.getMoreResults();
            try (ResultSet row = statement.getResultSet()) {
                return row.next();
            }
        }
    }
}
