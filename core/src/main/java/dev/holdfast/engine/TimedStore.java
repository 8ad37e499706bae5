package dev.holdfast.engine;

import dev.holdfast.ClientStatistics.Operation;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Counts the calls to a store and the time they take. Thread-safe. */
record TimedStore(LockStore store, MonotonicClock clock, Statistics statistics) implements LockStore {

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return timed(
                Operation.ACQUIRE,
                () -> store.tryAcquire(claim),
                outcome -> !(outcome instanceof AcquireOutcome.Unknown));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return timed(
                Operation.POLL,
                () -> store.poll(claims),
                outcomes -> outcomes.stream().noneMatch(AcquireOutcome.Unknown.class::isInstance));
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        timed(Operation.WITHDRAW, () -> store.withdraw(claim, mayStillArrive));
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return timed(
                Operation.RENEW,
                () -> store.renew(grants),
                outcomes -> outcomes.stream().noneMatch(RenewOutcome.Unknown.class::isInstance));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return timed(
                Operation.RELEASE,
                () -> store.release(grants),
                outcomes -> outcomes.stream().noneMatch(ReleaseOutcome.Unknown.class::isInstance));
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return timed(Operation.INSPECT, () -> store.inspect(name), view -> true);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return timed(Operation.LIST, () -> store.list(prefix, limit), views -> true);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return timed(Operation.EVICT, () -> store.evict(name, epoch, by, reason), count -> true);
    }

    @Override
    public void ping() {
        timed(Operation.PING, store::ping);
    }

    @Override
    public void close() {
        store.close();
    }

    private void timed(Operation operation, Runnable call) {
        boolean unused = timed(
                operation,
                () -> {
                    call.run();
                    return true;
                },
                done -> true);
    }

    private <R> R timed(Operation operation, Supplier<R> call, Predicate<R> isAnswer) {
        long began = clock.nanos();
        boolean answered = false;
        try {
            R result = call.get();
            answered = isAnswer.test(result);
            return result;
        } finally {
            statistics.called(operation, answered, clock.nanos() - began);
        }
    }
}
