package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The connection for renewals. */
final class ConnectionsTest {

    /** A pool that lends one connection and is empty then. */
    private static final class OneOnly implements ConnectionSource {
        private final AtomicBoolean lent = new AtomicBoolean();

        @Override
        public Connection connect() throws SQLException {
            if (!lent.compareAndSet(false, true)) {
                throw new SQLTransientConnectionException("the pool is empty", "08001");
            }
            return DriverManager.getConnection("jdbc:h2:mem:");
        }

        @Override
        public boolean isShared() {
            return true;
        }
    }

    @Test
    void reservedConnectionIsKeptAfterADeadlockBecauseThePoolMayBeEmpty() throws SQLException {
        try (Connections connections = new Connections(new OneOnly(), 1, Duration.ofSeconds(1))) {
            Connection first = connections.withReserved(connection -> connection);
            assertThatThrownBy(() -> connections.withReserved(connection -> {
                        throw new SQLException("deadlock", "40P01");
                    }))
                    .isInstanceOf(SQLException.class);

            Connection second = connections.withReserved(connection -> connection);
            assertThat(second).isSameAs(first);
        }
    }

    @Test
    void reservedConnectionIsReplacedAfterItWasLost() throws SQLException {
        try (Connections connections = new Connections(new OneOnly(), 1, Duration.ofSeconds(1))) {
            assertThatThrownBy(() -> connections.withReserved(connection -> {
                        throw new SQLException("cut", "08006");
                    }))
                    .hasMessage("cut");
            assertThatThrownBy(() -> connections.withReserved(connection -> connection))
                    .hasMessage("the pool is empty");
        }
    }
}
