package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mariadb.MariaDb;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults of row and advisory locks on MariaDB. */
@Tag("full")
final class MariaDbSessionFaultTest extends SessionFaultCases {
    @Override
    DatabaseServer start(Rig place) throws InterruptedException {
        return MariaDb.start(place);
    }

    @Override
    List<Strategy> inTransactions() {
        return List.of(Strategy.ROW);
    }

    @Test
    void advisoryLockInATransactionIsRefused() throws SQLException {
        try (Connection connection = server().connect()) {
            connection.setAutoCommit(false);
            JdbcStore store = JdbcStore.on(pool()).withStrategy(Strategy.ADVISORY);
            assertThatThrownBy(() -> store.onConnection(connection))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("only PostgreSQL");
        }
    }
}
