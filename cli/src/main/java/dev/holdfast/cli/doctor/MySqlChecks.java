package dev.holdfast.cli.doctor;

import java.sql.SQLException;

/** What is good and bad about a MySQL or MariaDB. */
final class MySqlChecks {
    private MySqlChecks() {}

    /** {@return what tells one server from another} */
    static String identity(boolean mariaDb) {
        return mariaDb ? "SELECT concat(@@server_uid, '-', @@port)" : "SELECT @@server_uuid";
    }

    static void look(boolean mariaDb, Sql sql, Findings findings) throws SQLException {
        sql.expect(
                "SELECT @@innodb_flush_log_at_trx_commit",
                "1",
                "innodb_flush_log_at_trx_commit",
                "a crash forgets locks that were just granted",
                findings);
        sql.expect(
                "SELECT @@innodb_doublewrite + 0",
                "1",
                "innodb_doublewrite",
                "a crash of the machine may damage the tables of the locks",
                findings);
        if (sql.value("SELECT @@default_storage_engine").equalsIgnoreCase("InnoDB")) {
            findings.ok("engine", "tables are made by InnoDB");
        } else {
            findings.danger(
                    "engine",
                    "new tables are not InnoDB's, so they have no row locks",
                    "set default_storage_engine to InnoDB");
        }
        if (sql.value("SELECT @@global.read_only").equals("1")) {
            findings.danger("read-only", "the server is read-only", "name the primary");
        }
        binlog(sql, findings);
        several(mariaDb, sql, findings);
        new ClockLook().look(() -> sql.millis("SELECT unix_timestamp(now(6))"), findings);
    }

    /** What replicas get, and what a crash leaves, is the binary log. */
    private static void binlog(Sql sql, Findings findings) throws SQLException {
        if (!sql.value("SELECT @@log_bin").equals("1")) {
            return;
        }
        String sync = sql.value("SELECT @@sync_binlog");
        if (!sync.equals("1")) {
            findings.caution(
                    "sync_binlog",
                    "sync_binlog is " + sync + ": after a crash, replicas may lack the last locks or have too many",
                    "set it to 1");
        }
        String replicas = sql.ask("SHOW STATUS LIKE 'Slaves_connected'", 2)
                .filter(text -> !text.isEmpty())
                .or(() -> sql.ask(
                        "SELECT count(*) FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'"))
                .orElse("0");
        if (!replicas.equals("0")) {
            findings.danger(
                    "replication",
                    "replicas follow it, and a failover to one forgets the locks that it has not yet got",
                    "make it wait for one (semi-synchronous), or let what locks protect check the token");
        }
    }

    private static void several(boolean mariaDb, Sql sql, Findings findings) throws SQLException {
        if (sql.value("SHOW STATUS LIKE 'wsrep_cluster_size'", 2).matches("[1-9]\\d*")) {
            findings.danger(
                    "galera",
                    "it is a member of a Galera cluster, where row locks of members do not exclude each other",
                    "use one server, or another store");
        }
        if (!mariaDb
                && sql.ask(
                                "SELECT count(*) FROM performance_schema.replication_group_members WHERE member_role = 'PRIMARY'")
                        .filter(count -> Integer.parseInt(count) > 1)
                        .isPresent()) {
            findings.danger(
                    "group-replication",
                    "several members of the group take writes, and their row locks do not exclude each other",
                    "use single-primary mode");
        }
    }
}
