package dev.holdfast.tck;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** A store at the far end of a {@link Link}. Thread-safe as the store is. */
final class LinkedStore implements LockStore {
    private final Link link;
    private final LockStore store;
    private final Duration commandTimeout;

    LinkedStore(Link link, LockStore store, Duration commandTimeout) {
        this.link = link;
        this.store = store;
        this.commandTimeout = commandTimeout;
    }

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return call(Link.Step.ACQUIRE, claim.describe(), () -> store.tryAcquire(claim));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return call(Link.Step.POLL, "waiting claims", () -> store.poll(claims));
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        call(Link.Step.WITHDRAW, claim.describe(), () -> {
            store.withdraw(claim, mayStillArrive);
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        link.noteRenewals(grants);
        return call(Link.Step.RENEW, "held leases", () -> store.renew(grants));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return call(Link.Step.RELEASE, "held leases", () -> store.release(grants));
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return call(Link.Step.LOOK, name, () -> store.inspect(name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return call(Link.Step.LOOK, prefix, () -> store.list(prefix, limit));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return call(Link.Step.EVICT, name, () -> store.evict(name, epoch, by, reason));
    }

    @Override
    public void ping() {
        call(Link.Step.PING, "the store", () -> {
            store.ping();
            return true;
        });
    }

    @Override
    public void close() {
        store.close();
    }

    private <R> R call(Link.Step step, String lockName, Supplier<R> request) {
        return link.call(step, lockName, commandTimeout, request);
    }
}
