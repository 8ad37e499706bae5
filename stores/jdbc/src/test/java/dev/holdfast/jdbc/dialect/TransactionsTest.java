package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.DialectServers;
import dev.holdfast.jdbc.TestContext;
import dev.holdfast.rig.Rig;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Transactions on real databases: how long they may be idle. */
final class TransactionsTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final DialectServers SERVERS = new DialectServers(RIG);

    private final TestContext surroundings = new TestContext();

    @AfterEach
    void closeSurroundings() {
        surroundings.close();
    }

    @Test
    void onOwnConnectionsToMySqlATransactionMayBeIdleForLessTimeThanAConnection() throws InterruptedException {
        try (Database database = SERVERS.open(Dialect.MYSQL, surroundings.context())) {
            String idle = "SELECT @@SESSION.wait_timeout";

            assertThat(database.<Long>run("look", "x", connection -> ask(connection, idle)))
                    .isEqualTo(30);
            assertThat(database.<Long>transact(Dialect.MYSQL, "look", "x", connection -> ask(connection, idle)))
                    .isEqualTo(5);
            assertThat(database.<Long>run("look", "x", connection -> ask(connection, idle)))
                    .isEqualTo(30);
        }
    }

    private static long ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
