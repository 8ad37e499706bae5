package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.jdbc.dialect.DriverSource;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** H2's driver forgets its socket when the server was silent, and leaves it open. */
final class H2SilenceTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @Test
    void transactionOfAConnectionThatWasGivenUpEndsWithTheOutage() throws SQLException {
        H2Server server = RIG.keep(H2Server.start());
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        DriverSource source = new DriverSource(server.url(cable.port()), null, Duration.ofMillis(500));
        try (Connection operator = server.connect();
                Connection lost = source.connect()) {
            Sql.tell(operator, "CREATE TABLE silent (id INT PRIMARY KEY)");
            Sql.tell(operator, "INSERT INTO silent VALUES (1)");
            Sql.tell(operator, "SET LOCK_TIMEOUT 100");
            lost.setAutoCommit(false);
            Sql.ask(lost, "SELECT id FROM silent WHERE id = 1 FOR UPDATE");
            cable.blackHole(Direction.TO_CLIENT);
            assertThatThrownBy(() -> Sql.ask(lost, "SELECT 1")).isInstanceOf(SQLException.class);
            lost.close();
            cable.heal();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(5))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> {
                        Sql.ask(operator, "SELECT id FROM silent WHERE id = 1 FOR UPDATE");
                        return true;
                    });
        }
    }
}
