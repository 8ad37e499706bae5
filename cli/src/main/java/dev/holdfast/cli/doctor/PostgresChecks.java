package dev.holdfast.cli.doctor;

import dev.holdfast.jdbc.dialect.Pooler;
import java.sql.Connection;
import java.sql.SQLException;

/** What is good and bad about a PostgreSQL. */
final class PostgresChecks {
    private static final int NEARLY_ALL_PERCENT = 90;

    private PostgresChecks() {}

    static void look(Connection connection, Sql sql, String strategy, Findings findings) throws SQLException {
        sql.expect("SHOW fsync", "on", "fsync", "a crash of the machine may forget or damage locks", findings);
        sql.expect(
                "SHOW full_page_writes",
                "on",
                "full_page_writes",
                "a crash of the machine may damage the tables of the locks",
                findings);
        String commit = sql.value("SHOW synchronous_commit");
        if (commit.equals("off")) {
            findings.danger(
                    "synchronous_commit",
                    "synchronous_commit is off: a crash forgets locks that were just granted",
                    "ALTER ROLE ... SET synchronous_commit = on, for the user of the locks");
        } else {
            findings.ok("synchronous_commit", "synchronous_commit is " + commit);
        }
        if (sql.value("SELECT pg_is_in_recovery()").equals("t")) {
            findings.danger("standby", "it is a standby, which cannot grant locks", "name the primary");
        } else {
            standbys(sql, findings);
        }
        if (sql.value("SHOW transaction_read_only").equals("on")) {
            findings.danger("read-only", "transactions are read-only", "name the primary, or another user");
        }
        pooler(connection, strategy, findings);
        new ClockLook().look(() -> sql.millis("SELECT extract(epoch FROM clock_timestamp())"), findings);
        sql.ask("SELECT count(*) * 100 / current_setting('max_connections')::int FROM pg_stat_activity")
                .filter(percent -> Integer.parseInt(percent) > NEARLY_ALL_PERCENT)
                .ifPresent(percent -> findings.caution(
                        "connections",
                        percent + " % of its connections are in use",
                        "raise max_connections, or let fewer programs in: clients of locks need a few each"));
    }

    private static void standbys(Sql sql, Findings findings) throws SQLException {
        String standbys = sql.ask("SELECT count(*) FROM pg_stat_replication").orElse("0");
        if (!standbys.equals("0") && sql.value("SHOW synchronous_standby_names").isEmpty()) {
            findings.danger(
                    "replication",
                    "standbys follow it, but it does not wait for one of them: a failover forgets the last locks",
                    "set synchronous_standby_names, or let what locks protect check the token");
        }
    }

    private static void pooler(Connection connection, String strategy, Findings findings) throws SQLException {
        if (!Pooler.isBetween(connection)) {
            findings.ok("pooler", "no pooler is between us and the server");
        } else if (strategy.equals("advisory")) {
            findings.danger(
                    "pooler",
                    "a pooler may give each transaction another session, and advisory locks belong to sessions",
                    "use strategy=lease, or connect to the server itself");
        } else {
            findings.caution(
                    "pooler",
                    "a pooler is between us and the server: locks work, but waiters poll instead of being told",
                    "connect to the server itself for locks that change hands often");
        }
    }
}
