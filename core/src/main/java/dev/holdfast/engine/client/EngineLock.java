package dev.holdfast.engine.client;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LeasedLock;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.Terms;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Every lock there is: terms, and the engine that acquires on them. Thread-safe. */
final class EngineLock implements DistributedLock {
    private final Engine engine;
    private final Terms terms;
    private final ThreadHolds threadHolds;

    EngineLock(Engine engine, Terms terms, ThreadHolds threadHolds) {
        this.engine = engine;
        this.terms = terms;
        this.threadHolds = threadHolds;
    }

    @Override
    public List<String> names() {
        return terms.parts.stream().map(Claim.Part::name).toList();
    }

    @Override
    public LockOptions options() {
        return terms.options;
    }

    @Override
    public Lease acquire() throws InterruptedException {
        return Objects.requireNonNull(acquire(Long.MAX_VALUE), "a wait without limit ends with a lease");
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return Optional.ofNullable(engine.acquireUninterruptibly(terms, 0));
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        long waitNanos = nanos(wait);
        if (waitNanos == 0) {
            refuseInterrupted();
            return tryAcquire();
        }
        return Optional.ofNullable(acquire(waitNanos));
    }

    private @Nullable Lease acquire(long waitNanos) throws InterruptedException {
        refuseInterrupted();
        threadHolds.refuseSelfDeadlock(terms);
        return engine.acquire(terms, waitNanos);
    }

    @Override
    public CompletableFuture<Lease> acquireAsync() {
        return new LeaseFuture<>(
                engine.acquireAsync(terms, Long.MAX_VALUE), lease -> Objects.requireNonNull(lease, "lease"));
    }

    /** As {@link #acquireAsync()}, for the client itself: the outcome does not wait for user code. */
    CompletableFuture<Lease> acquireForClient() {
        return new LeaseFuture<>(engine.acquireForClient(terms), lease -> Objects.requireNonNull(lease, "lease"));
    }

    @Override
    public CompletableFuture<Optional<Lease>> tryAcquireAsync(Duration wait) {
        return new LeaseFuture<>(engine.acquireAsync(terms, nanos(wait)), Optional::ofNullable);
    }

    @Override
    public LeasedLock asLock() {
        return new ThreadOwnedLock(engine, terms, threadHolds);
    }

    @Override
    public String toString() {
        return "DistributedLock[" + terms.describe() + "]";
    }

    private static void refuseInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted before waiting for a lock");
        }
    }

    /** A wait too long for a number of nanoseconds (292 years) is a wait without limit. */
    static long nanos(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("the time to wait must not be negative, but was " + wait);
        }
        return wait.compareTo(LockOptions.LONGEST) > 0 ? Long.MAX_VALUE : wait.toNanos();
    }
}
