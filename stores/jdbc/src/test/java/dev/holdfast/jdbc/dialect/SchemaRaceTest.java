package dev.holdfast.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.DialectServers;
import dev.holdfast.jdbc.SchemaMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/**
 * Many clients meet an empty database at the same moment, and each creates what it does not find. On PostgreSQL a statement
 * with IF NOT EXISTS fails if another client is just then committing the same; so each client may fail at several of them.
 */
final class SchemaRaceTest {
    private static final DialectServers SERVERS = new DialectServers();
    private static final int CLIENTS = 12;
    private static final int ROUNDS = 20;

    @Test
    void clientsThatCreateTheTablesAtOnceAllFindThem()
            throws SQLException, InterruptedException, ExecutionException, TimeoutException {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        List<Connection> connections = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                connections.add(SERVERS.connect(Dialect.POSTGRESQL));
            }
            for (int round = 0; round < ROUNDS; round++) {
                Schema schema = new Schema("session", "race" + round + "_", SchemaMode.CREATE);
                CyclicBarrier all = new CyclicBarrier(CLIENTS);
                List<Callable<Boolean>> clients = new ArrayList<>();
                for (Connection connection : connections) {
                    clients.add(() -> {
                        all.await(30, TimeUnit.SECONDS);
                        schema.ensure(Dialect.POSTGRESQL, connection);
                        return true;
                    });
                }
                for (Future<Boolean> client : threads.invokeAll(clients)) {
                    assertThat(client.get(30, TimeUnit.SECONDS)).isTrue();
                }
            }
        } finally {
            threads.shutdownNow();
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }
}
