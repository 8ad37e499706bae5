package dev.holdfast.jdbc.lease;

import dev.holdfast.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;

/**
 * The hand-over of a contended plain lock on MariaDB, which executes a block of statements that is sent as one. It is the
 * transaction that would do it otherwise: it locks the row of the name first and reads the line in a later statement, so it
 * misses nobody who has committed. It decides as {@link Lines} does, for the one case that is common: the head of the line
 * wants the whole name and no other. In every other case it changes nothing and answers so.
 *
 * <p>A block cannot be prepared with values, so they are written into it: the name in hexadecimal digits, everything else
 * consists of digits and letters. If it waits for the row, the time is the one from before, so it is too early, which makes
 * the lease shorter. Thread-safe.
 */
final class HandOverOnMariaDb implements HandOver {
    private static final int SYNTAX_ERROR = 1064;

    private final String block;

    /** Whether something in between does not let blocks through. */
    private volatile boolean refused;

    HandOverOnMariaDb(LeaseSql sql) {
        this.block = sql.text("""
                BEGIN NOT ATOMIC
                    DECLARE v_now, v_last BIGINT;
                    DECLARE v_capacity, v_others INT;
                    DECLARE v_owner TYPE OF ${p}claim.owner;
                    DECLARE v_units TYPE OF ${p}claim.units;
                    DECLARE v_parts TYPE OF ${p}claim.parts;
                    DECLARE v_lease TYPE OF ${p}claim.lease;
                    DECLARE v_client TYPE OF ${p}claim.client;
                    DECLARE v_client_name TYPE OF ${p}claim.client_name;
                    DECLARE v_label TYPE OF ${p}claim.label;
                    DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
                    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
                    START TRANSACTION;
                    SELECT l.capacity, l.epoch, ${now} INTO v_capacity, v_last, v_now FROM ${p}lock l
                        WHERE l.name = ${name} AND l.owner = ${owner} AND l.epoch = ${epoch} AND l.expires > ${now}
                        FOR UPDATE;
                    SELECT c.owner, c.units, c.parts, c.lease, c.client, c.client_name, c.label
                        INTO v_owner, v_units, v_parts, v_lease, v_client, v_client_name, v_label FROM ${p}claim c
                        WHERE c.name = ${name} AND c.state = 'W' AND c.expires > v_now
                        ORDER BY c.arrival, c.owner LIMIT 1 FOR UPDATE;
                    IF v_capacity IS NOT NULL AND v_owner IS NOT NULL AND v_parts = 1 AND v_units = v_capacity THEN
                        DELETE FROM ${p}claim WHERE name = ${name} AND owner = v_owner;
                        SELECT COUNT(*) INTO v_others FROM ${p}claim c WHERE c.name = ${name};
                        UPDATE ${p}lock SET owner = v_owner, epoch = GREATEST(v_last + 1, v_now + ${ahead}),
                            expires = v_now + LEAST(v_lease, ${provisional}), lease = v_lease, since = v_now,
                            client = v_client, client_name = v_client_name, label = v_label,
                            crowded = IF(v_others > 0, 1, 0)
                            WHERE name = ${name};
                        COMMIT;
                        SELECT 1;
                    ELSE
                        ROLLBACK;
                        SELECT 0;
                    END IF;
                END""").replace("${provisional}", Long.toString(Lines.PROVISIONAL_MICROS));
    }

    @Override
    public boolean handOver(Connection connection, Grant grant) throws SQLException {
        if (refused) {
            return false;
        }
        byte[] name = grant.name().getBytes(StandardCharsets.UTF_8);
        String text = block.replace("${name}", "x'" + HexFormat.of().formatHex(name) + "'")
                .replace("${owner}", "'" + grant.owner() + "'")
                .replace("${epoch}", Long.toString(grant.epoch()));
        try (Statement statement = connection.createStatement()) {
            boolean answered = statement.execute(text);
            while (!answered && statement.getUpdateCount() >= 0) {
                answered = statement.getMoreResults();
            }
            try (ResultSet row = statement.getResultSet()) {
                return row.next() && row.getInt(1) == 1;
            }
        } catch (SQLException failure) {
            if (failure.getErrorCode() == SYNTAX_ERROR) {
                // Nothing of it was executed; the transaction does it, statement by statement.
                refused = true;
                return false;
            }
            throw failure;
        }
    }
}
