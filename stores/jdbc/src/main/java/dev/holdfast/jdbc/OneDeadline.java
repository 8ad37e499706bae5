package dev.holdfast.jdbc;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.jdbc.dialect.CallBudget;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Gives every call of a store one deadline, whatever it does within. Thread-safe.
 *
 * @param store the store
 * @param budget the deadline
 */
record OneDeadline(LockStore store, CallBudget budget) implements LockStore {
    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return budget.within(() -> store.tryAcquire(claim));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return budget.within(() -> store.poll(claims));
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        budget.within(() -> {
            store.withdraw(claim, mayStillArrive);
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return budget.within(() -> store.renew(grants));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return budget.within(() -> store.release(grants));
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return budget.within(() -> store.inspect(name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return budget.within(() -> store.list(prefix, limit));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return budget.within(() -> store.evict(name, epoch, by, reason));
    }

    @Override
    public void ping() {
        budget.within(() -> {
            store.ping();
            return true;
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
