package dev.holdfast.engine;

import static dev.holdfast.engine.Outcomes.CONTENDED;
import static dev.holdfast.engine.Outcomes.GRANTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Waits that are shorter than the store takes to answer. A client that knows nothing yet has to wait for the answer,
 * which takes one command timeout at most (P16, P17).
 */
@Timeout(60)
class ShortWaitTest {
    private static final int WAITERS = 20;
    private static final long ANSWER_MILLIS = 8;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAsynchronousWaiterIsToldThatTheLockIsTaken(boolean exclusive) throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:short-async");
                Holdfast locks = slowClient("short-async");
                Lease held = holder.readWriteLock("a").writeLock().acquire()) {
            DistributedLock lock = lock(locks, exclusive);
            for (int micros = 1; micros < 3_000; micros *= 3) {
                Duration wait = Duration.of(micros, ChronoUnit.MICROS);
                assertThat(Outcomes.of(lock.tryAcquireAsync(wait)))
                        .as("a wait of %s", wait)
                        .isEqualTo(CONTENDED);
            }
            assertThat(held.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void threadsThatWaitTogetherAreToldThatTheLockIsTaken(boolean exclusive) throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:short-threads");
                Holdfast locks = slowClient("short-threads");
                Lease held = holder.readWriteLock("a").writeLock().acquire()) {
            DistributedLock lock = lock(locks, exclusive);
            assertThat(Outcomes.ofThreads(WAITERS, i -> lock, Duration.ofMillis(1)))
                    .isEqualTo(Map.of(CONTENDED, (long) WAITERS));
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** Nobody can say "taken" of a lock that is free, so the only true outcome is the lease. */
    @Test
    void aFreeLockIsGrantedAlthoughTheAnswerTakesLongerThanTheWait() {
        try (Holdfast locks = slowClient("short-free")) {
            assertThat(Outcomes.of(lock(locks, true).tryAcquireAsync(Duration.ofMillis(1))))
                    .isEqualTo(GRANTED);
            assertThat(Outcomes.of(lock(locks, false).tryAcquireAsync(Duration.ofMillis(1))))
                    .isEqualTo(GRANTED);
        }
    }

    private static DistributedLock lock(Holdfast locks, boolean exclusive) {
        DistributedReadWriteLock pair = locks.readWriteLock("a");
        return exclusive ? pair.writeLock() : pair.readLock();
    }

    private static Holdfast slowClient(String memory) {
        return Holdfast.builder()
                .store(context -> new SlowStore(memory, context, () -> true, ANSWER_MILLIS))
                .build();
    }
}
