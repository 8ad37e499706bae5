package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A name is of one kind and capacity while in use; whoever asks otherwise is told so, also within one client. */
@Timeout(60)
class MismatchWithinOneClientTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofMillis(200);

    private enum Uses {
        LOCK_AND_READ_LOCK(
                locks -> locks.lock("a"), locks -> locks.readWriteLock("a").readLock()),
        LOCK_AND_WRITE_LOCK(
                locks -> locks.lock("a"), locks -> locks.readWriteLock("a").writeLock()),
        LOCK_AND_PERMIT(
                locks -> locks.lock("a"), locks -> locks.semaphore("a", 2).permits(1)),
        LOCK_AND_ONLY_PERMIT(
                locks -> locks.lock("a"), locks -> locks.semaphore("a", 1).permits(1)),
        WRITE_LOCK_AND_LOCK(locks -> locks.readWriteLock("a").writeLock(), locks -> locks.lock("a")),
        WRITE_LOCK_AND_PERMIT(
                locks -> locks.readWriteLock("a").writeLock(),
                locks -> locks.semaphore("a", 2).permits(1)),
        ALL_PERMITS_AND_LOCK(locks -> locks.semaphore("a", 2).permits(2), locks -> locks.lock("a")),
        ALL_PERMITS_AND_ONE_OF_MORE(
                locks -> locks.semaphore("a", 2).permits(2),
                locks -> locks.semaphore("a", 3).permits(1)),
        ALL_PERMITS_AND_ALL_OF_MORE(
                locks -> locks.semaphore("a", 2).permits(2),
                locks -> locks.semaphore("a", 3).permits(3));

        private final Function<Holdfast, DistributedLock> first;
        private final Function<Holdfast, DistributedLock> second;

        Uses(Function<Holdfast, DistributedLock> first, Function<Holdfast, DistributedLock> second) {
            this.first = first;
            this.second = second;
        }
    }

    @ParameterizedTest
    @EnumSource(Uses.class)
    void aSingleTryIsToldOfTheMismatch(Uses uses) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect("memory:");
                Lease held = uses.first.apply(locks).acquire()) {
            DistributedLock other = uses.second.apply(locks);
            assertThatThrownBy(other::tryAcquire).isInstanceOf(LockMismatchException.class);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Uses.class)
    void aWaitIsToldOfTheMismatch(Uses uses) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect("memory:");
                Lease held = uses.first.apply(locks).acquire()) {
            DistributedLock other = uses.second.apply(locks);
            assertThatThrownBy(() -> other.tryAcquire(WAIT)).isInstanceOf(LockMismatchException.class);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Uses.class)
    void anAsynchronousWaitIsToldOfTheMismatch(Uses uses) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect("memory:");
                Lease held = uses.first.apply(locks).acquire()) {
            CompletableFuture<?> wait = uses.second.apply(locks).tryAcquireAsync(WAIT);
            assertThat(wait).failsWithin(LIMIT).withThrowableThat().withCauseInstanceOf(LockMismatchException.class);
            assertThat(held.isHeld()).isTrue();
        }
    }

    /** The store counts a waiter as a use, so a line inside the client is one too. */
    @ParameterizedTest
    @EnumSource(Uses.class)
    void whoWaitsInLineIsAUseAsWell(Uses uses) throws InterruptedException {
        try (Holdfast holder = Holdfast.connect("memory:mismatch-line");
                Holdfast locks = Holdfast.connect("memory:mismatch-line");
                Lease held = uses.first.apply(holder).acquire()) {
            CompletableFuture<Lease> first = uses.first.apply(locks).acquireAsync();
            DistributedLock other = uses.second.apply(locks);
            assertThatThrownBy(() -> other.tryAcquire(WAIT)).isInstanceOf(LockMismatchException.class);
            assertThatThrownBy(other::tryAcquire).isInstanceOf(LockMismatchException.class);
            assertThat(first).isNotDone();
            assertThat(held.isHeld()).isTrue();
        }
    }
}
