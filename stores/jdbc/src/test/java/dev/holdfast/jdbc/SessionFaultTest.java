package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Faults of row and advisory locks on PostgreSQL. */
final class SessionFaultTest extends SessionFaultCases {
    @Override
    DatabaseServer start(Rig place) throws InterruptedException {
        return Postgres.start(place);
    }

    @Override
    List<Strategy> inTransactions() {
        return List.of(Strategy.ROW, Strategy.ADVISORY);
    }

    @Test
    void everyEpochOfAnAdvisoryLockIsLargerThanAllBeforeAKillOfTheServer() throws InterruptedException {
        long largest = 0;
        for (int round = 0; round < 3; round++) {
            List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
            try (Holdfast one = connect("advisory", 8);
                    Holdfast other = connect("advisory", 8)) {
                List<Thread> threads = new ArrayList<>();
                for (Holdfast locks : List.of(one, other, one, other)) {
                    String name = "epoch/" + threads.size();
                    Thread thread = new Thread(() -> drawUntilTheEnd(locks, name, tokens));
                    threads.add(thread);
                    thread.start();
                }
                int enough = 100;
                Awaitility.await().until(() -> tokens.size() > enough);
                server().kill();
                for (Thread thread : threads) {
                    thread.join();
                }
                // Before the clients are closed, which would wait for it.
                server().start();
            }
            assertThat(tokens).doesNotHaveDuplicates();
            assertThat(Collections.min(tokens)).isGreaterThan(largest);
            largest = Collections.max(tokens);
        }
    }

    private static void drawUntilTheEnd(Holdfast locks, String name, List<Long> tokens) {
        while (true) {
            try {
                Optional<Lease> lease = locks.lock(name).tryAcquire();
                if (lease.isPresent()) {
                    tokens.add(lease.get().token());
                    lease.get().release();
                }
            } catch (HoldfastException killed) {
                return;
            }
        }
    }
}
