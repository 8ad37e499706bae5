package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreUnavailableException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Connections that are lent, and the one for renewals. */
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

    /** A network that is slow until it is told otherwise: connections come after their callers have given up. */
    private static final class Slow implements ConnectionSource {
        private final CountDownLatch over = new CountDownLatch(1);
        private final Queue<Connection> made = new ConcurrentLinkedQueue<>();

        @Override
        public Connection connect() throws SQLException {
            try {
                over.await();
            } catch (InterruptedException ended) {
                throw new SQLException("interrupted", "08001", ended);
            }
            Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
            made.add(connection);
            return connection;
        }

        long open() throws SQLException {
            long open = 0;
            for (Connection connection : made) {
                open += connection.isClosed() ? 0 : 1;
            }
            return open;
        }

        @Override
        public boolean isShared() {
            return false;
        }
    }

    @Test
    void connectionsThatCameTooLateAreKeptUpToTheLimit() throws SQLException {
        int calls = 8;
        int most = 2;
        Slow source = new Slow();
        try (Connections connections = new Connections(source, most, Duration.ofMillis(100))) {
            for (int i = 0; i < calls; i++) {
                assertThatThrownBy(() -> connections.with(connection -> connection))
                        .isInstanceOf(SQLException.class);
            }
            source.over.countDown();

            await().untilAsserted(() -> {
                assertThat(source.made).hasSize(calls);
                assertThat(source.open()).isEqualTo(most);
            });
            Connection used = await().ignoreExceptionsInstanceOf(SQLException.class)
                    .until(() -> connections.with(connection -> connection), Objects::nonNull);
            assertThat(source.made).as("none was opened anew").hasSize(calls).contains(used);
        }
        assertThat(source.open()).isZero();
    }

    /** A statement that took longer than it may, or a full queue of notifications, says nothing of connections. */
    @Test
    void answerThatNothingWasDoneLeavesConnectionsAsTheyAre() throws SQLException {
        Slow source = new Slow();
        source.over.countDown();
        try (Connections connections = new Connections(source, 2, Duration.ofSeconds(5))) {
            for (SQLException declined : List.of(
                    new SQLException("cancelled", "57014"),
                    new SQLException("too many notifications", "54000"),
                    new SQLException("interrupted", "70100", 1317))) {
                assertThatThrownBy(() -> connections.with(connection -> {
                            throw declined;
                        }))
                        .isSameAs(declined);
                assertThat(Faults.translate("acquire", "orders", declined))
                        .isInstanceOf(StoreUnavailableException.class);
            }
            assertThat(source.made).hasSize(1);
        }
    }

    /** A pool that opens another connection when a broken one is given back, on the same thread and for long. */
    private static final class Replacing implements ConnectionSource {
        private final CountDownLatch replaced = new CountDownLatch(1);
        private final CountDownLatch closing = new CountDownLatch(1);

        @Override
        public Connection connect() throws SQLException {
            Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            closing.countDown();
                            replaced.await();
                        }
                        return method.invoke(connection, arguments);
                    });
        }

        @Override
        public boolean isShared() {
            return true;
        }
    }

    @Test
    void nobodyWaitsForAPoolThatReplacesABrokenConnection() throws InterruptedException {
        Replacing pool = new Replacing();
        try (Connections connections = new Connections(pool, 1, Duration.ofSeconds(10))) {
            // On the thread of this test it would wait for itself.
            assertThatThrownBy(() -> connections.with(connection -> {
                        throw new SQLException("cut", "08006");
                    }))
                    .hasMessage("cut");
            pool.closing.await();
            pool.replaced.countDown();
        }
    }

    @Test
    void reservedConnectionIsKeptAfterADeadlockBecauseThePoolMayBeEmpty() throws SQLException {
        try (Connections connections = new Connections(new OneOnly(), 1, Duration.ofSeconds(1))) {
            Connection first = connections.withReserved(connection -> connection.unwrap(Connection.class));
            assertThatThrownBy(() -> connections.withReserved(connection -> {
                        throw new SQLException("deadlock", "40P01");
                    }))
                    .isInstanceOf(SQLException.class);

            Connection second = connections.withReserved(connection -> connection.unwrap(Connection.class));
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

    @Test
    void whoFindsAllConnectionsInUseIsToldSoAndADriversMessageIsNotPassedOn() throws SQLException {
        try (Connections connections = new Connections(new OneOnly(), 1, Duration.ofMillis(50))) {
            connections.with(outer -> {
                assertThatThrownBy(() -> connections.with(inner -> inner))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                busy -> assertThat(Faults.translate("acquire", "orders", busy))
                                        .hasMessageContaining("all connections of the store were in use"));
                return outer;
            });
            assertThatThrownBy(() -> connections.withReserved(connection -> connection))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            empty -> assertThat(Faults.translate("acquire", "orders", empty))
                                    .hasMessageContaining("SQL state 08001, code 0")
                                    .hasMessageNotContaining("the pool is empty"));
        }
    }
}
