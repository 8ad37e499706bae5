package dev.holdfast.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.Connections;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.jdbc.dialect.DriverSource;
import dev.holdfast.jdbc.dialect.Visit;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server whose connections are all in use, some of them idle ones of the client that needs another: of a hundred readers
 * one waited for half a minute for a connection to hold its lock, beside idle connections for other work.
 */
final class FullServerTest {
    private static final String LIMIT = "max_connections=12";
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);
    private static final int MOST = 4;

    @RegisterExtension
    final Rig rig = new Rig();

    private final List<Connection> others = new ArrayList<>();

    @AfterEach
    void closeOthers() throws SQLException {
        for (Connection other : others) {
            other.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
    void idleConnectionsMakeWayForOneThatHoldsALock(Dialect dialect) throws SQLException, InterruptedException {
        Access server = start(dialect);
        try (Connections connections = connections(server)) {
            useSeveral(connections);
            fill(server);

            Visit stays = connections.stay();
            assertThat(stays.connection().isValid(1)).isTrue();
            stays.end();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
    void idleConnectionsThatHeldLocksMakeWayForOtherWork(Dialect dialect) throws SQLException, InterruptedException {
        Access server = start(dialect);
        try (Connections connections = connections(server);
                Dedicated dedicated = new Dedicated(connections, MOST)) {
            List<Seat> seats = new ArrayList<>();
            for (int i = 0; i < MOST; i++) {
                seats.add(dedicated.take());
            }
            seats.forEach(dedicated::giveBack);
            fill(server);

            assertThat(connections.<Boolean>with(connection -> connection.isValid(1)))
                    .isTrue();
        }
    }

    private Access start(Dialect dialect) throws InterruptedException {
        return switch (dialect) {
            case POSTGRESQL -> Postgres.start(rig, LIMIT).access();
            case MARIADB -> MariaDb.start(rig, LIMIT).access();
            case MYSQL -> MySql.start(rig, LIMIT).access();
            case H2 -> throw new IllegalArgumentException("H2 has no such limit");
        };
    }

    private static Connections connections(Access server) {
        DriverSource source = new DriverSource(server.jdbcUrlWithCredentials(), null, COMMAND_TIMEOUT);
        return Connections.withSeats(source, MOST, COMMAND_TIMEOUT);
    }

    /** Each piece of work needs a connection while the one around it has its own; all of them are idle afterwards. */
    private static void useSeveral(Connections connections) throws SQLException {
        boolean done = connections.with(
                first -> connections.with(second -> connections.with(third -> connections.with(fourth -> true))));
        assertThat(done).isTrue();
    }

    /** Other clients take what is left. */
    private void fill(Access server) {
        boolean room = true;
        while (room) {
            try {
                others.add(server.connect());
            } catch (SQLException full) {
                room = false;
            }
        }
    }
}
