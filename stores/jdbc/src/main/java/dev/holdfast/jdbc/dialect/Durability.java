package dev.holdfast.jdbc.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Whether a commit that was answered survives the end of the server: a server may be set to answer before it is on disk. */
public final class Durability {
    private static final String ON_POSTGRES = "SELECT CASE WHEN current_setting('fsync') = 'on'"
            + " AND current_setting('full_page_writes') = 'on' AND current_setting('synchronous_commit') <> 'off'"
            + " THEN 1 ELSE 0 END";

    /** With a binary log, a commit that is missing there is undone when the server starts. */
    private static final String ON_MYSQL = "SELECT CASE WHEN @@innodb_flush_log_at_trx_commit = 1"
            + " AND (@@log_bin = 0 OR @@sync_binlog = 1) THEN 1 ELSE 0 END";

    /** By default it writes half a second later; a database in memory has no path. */
    private static final String ON_H2 = "SELECT CASE WHEN DATABASE_PATH() IS NOT NULL AND EXISTS (SELECT 1 FROM"
            + " information_schema.settings WHERE setting_name = 'WRITE_DELAY' AND setting_value = '0')"
            + " THEN 1 ELSE 0 END";

    private Durability() {}

    /**
     * Asks the server what it is set to.
     *
     * @param dialect the dialect
     * @param connection a connection in autocommit
     * @return true if it waits for its disk; false also if it does not tell
     * @throws SQLException if the server does not answer
     */
    public static boolean survivesRestart(Dialect dialect, Connection connection) throws SQLException {
        String query = switch (dialect) {
            case POSTGRESQL -> ON_POSTGRES;
            case MARIADB, MYSQL -> ON_MYSQL;
            case H2 -> ON_H2;
        };
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getInt(1) == 1;
        } catch (SQLException untold) {
            if (Faults.kindOf(untold) == Faults.Kind.UNREACHABLE) {
                throw untold;
            }
            return false;
        }
    }
}
