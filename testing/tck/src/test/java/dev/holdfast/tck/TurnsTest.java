package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.tck.tcp.ServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients with one thread each at one lock, on a store whose hand-over costs a millisecond and more. */
@Timeout(120)
final class TurnsTest {
    private static final int CLIENTS = 6;
    private static final int BITS_OF_SEQUENCE = 12;
    private static final int GRANTS_TO_WARM_UP = 60;
    private static final int GRANTS_COUNTED = 120;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static ServerProcess server;

    /** One use of the lock: who, and under which grant of the store. */
    private record Use(int client, long epoch) {}

    @BeforeAll
    static void startServer() throws IOException {
        server = ServerProcess.start(Duration.ofMillis(1));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void whoComesBackQuicklyUsesAGrantManyTimesAndEverybodyIsServed() throws Exception {
        List<Use> oneByOne = compete("one-by-one", LockOptions.defaults().withTurn(Duration.ZERO));
        List<Use> inTurns = compete("in-turns", LockOptions.defaults());

        assertThat(oneByOne.size()).as("uses of as many grants").isEqualTo(grants(oneByOne));
        assertThat(inTurns.size()).as("uses of %d grants", grants(inTurns)).isGreaterThan(20 * grants(inTurns));
        assertThat(inTurns.stream().map(Use::client).distinct())
                .as("clients that were served")
                .hasSize(CLIENTS);
    }

    /** {@return the uses of all clients after they have warmed up, in order} */
    private static List<Use> compete(String name, LockOptions options) throws Exception {
        ConcurrentLinkedQueue<Use> uses = new ConcurrentLinkedQueue<>();
        Set<Long> grants = ConcurrentHashMap.newKeySet();
        List<Task<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            threads.add(Task.start("turns-" + i, PATIENCE, () -> {
                try (Holdfast locks = Holdfast.connect(server.url())) {
                    DistributedLock lock = locks.lock(name, options);
                    while (grants.size() < GRANTS_TO_WARM_UP + GRANTS_COUNTED) {
                        try (Lease lease = lock.acquire()) {
                            long epoch = lease.token() >> BITS_OF_SEQUENCE;
                            grants.add(epoch);
                            if (grants.size() > GRANTS_TO_WARM_UP) {
                                uses.add(new Use(client, epoch));
                            }
                        }
                    }
                    return true;
                }
            }));
        }
        for (Task<Boolean> thread : threads) {
            assertThat(thread.result()).isTrue();
        }
        return List.copyOf(uses);
    }

    private static int grants(List<Use> uses) {
        return (int) uses.stream().map(Use::epoch).distinct().count();
    }
}
