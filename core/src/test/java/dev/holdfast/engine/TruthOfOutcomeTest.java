package dev.holdfast.engine;

import static dev.holdfast.engine.Outcomes.CONTENDED;
import static dev.holdfast.engine.Outcomes.GRANTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedReadWriteLock;
import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On a store that answers every request, no wait ends with "cannot tell" (P16): what the client knows, its own lease
 * that is out or a last answer that said "taken", is an answer.
 */
@Timeout(60)
class TruthOfOutcomeTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofMillis(300);
    private static final LockOptions OPTIONS = LockOptions.defaults();
    private static final int WAITERS = 20;
    private static final Map<String, Long> ALL_CONTENDED = Map.of(CONTENDED, (long) WAITERS);

    @Test
    void waitersWithLabelsOfTheirOwnAreToldThatTheLockIsTaken() throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:truth-labels");
                Holdfast locks = Holdfast.connect("memory:truth-labels");
                Lease held = holder.lock("a").acquire()) {
            assertThat(Outcomes.ofThreads(WAITERS, i -> locks.lock("a", OPTIONS.withLabel("job " + i)), WAIT))
                    .isEqualTo(ALL_CONTENDED);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void asynchronousWaitersWithLabelsOfTheirOwnAreToldThatTheLockIsTaken() throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:truth-async");
                Holdfast locks = Holdfast.connect("memory:truth-async");
                Lease held = holder.lock("a").acquire()) {
            List<CompletableFuture<Optional<Lease>>> waits = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                waits.add(locks.lock("a", OPTIONS.withLabel("job " + i)).tryAcquireAsync(WAIT));
            }
            assertThat(Outcomes.counted(waits.stream().map(Outcomes::of))).isEqualTo(ALL_CONTENDED);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void waitersForPermitsOfTwoSizesAreToldThatTheyAreTaken() throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:truth-permits");
                Holdfast locks = Holdfast.connect("memory:truth-permits");
                Lease held = holder.semaphore("a", 3).permits(3).acquire()) {
            DistributedSemaphore semaphore = locks.semaphore("a", 3);
            assertThat(Outcomes.ofThreads(WAITERS, i -> semaphore.permits(1 + i % 2), WAIT))
                    .isEqualTo(ALL_CONTENDED);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void writersAndReadersInTurnAreToldThatTheLockIsTaken() throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:truth-writers");
                Holdfast locks = Holdfast.connect("memory:truth-writers");
                Lease held = holder.readWriteLock("a").writeLock().acquire()) {
            DistributedReadWriteLock pair = locks.readWriteLock("a");
            assertThat(Outcomes.ofThreads(WAITERS, i -> i % 2 == 0 ? pair.writeLock() : pair.readLock(), WAIT))
                    .isEqualTo(ALL_CONTENDED);
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** The claim that follows the own lease is answered only after the wait is over. */
    @ParameterizedTest
    @ValueSource(strings = {"", "of its own"})
    void anOwnHolderThatGivesBackShortlyBeforeTheDeadlineIsNoFailure(String label) throws InterruptedException {
        AtomicBoolean slow = new AtomicBoolean();
        try (Holdfast other = Holdfast.connect("memory:truth-own");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new SlowStore("truth-own", context, slow::get, WAIT.toMillis() + 100))
                        .build()) {
            Lease held = locks.lock("a").acquire();
            CompletableFuture<Lease> next = other.lock("a").acquireAsync();
            // The pause before the first look is longer than any turn that a client may keep a wanted lock for.
            await().pollDelay(Duration.ofMillis(100))
                    .atMost(LIMIT)
                    .until(() -> other.inspect("a").orElseThrow().waiters().size() == 1);
            slow.set(true);
            CompletableFuture<Optional<Lease>> waiting =
                    locks.lock("a", OPTIONS.withLabel(label)).tryAcquireAsync(WAIT);
            held.close();
            assertThat(Outcomes.of(waiting)).isIn(CONTENDED, GRANTED);
            assertThat(next).succeedsWithin(LIMIT);
        }
    }
}
