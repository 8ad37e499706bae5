package dev.holdfast.test;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The store at the far end of a line. Thread-safe. */
record LineStore(StoreLine line, LockStore store) implements LockStore {

    @Override
    public StoreTraits traits() {
        return store.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return line.call("acquire", claim.describe(), true, () -> line.remember(store.tryAcquire(claim)));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return line.call(
                "poll",
                "waiting claims",
                false,
                () -> store.poll(claims).stream().map(line::remember).toList());
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        boolean unused = line.call("withdraw", claim.describe(), false, () -> {
            store.withdraw(claim, mayStillArrive);
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return line.call("renew", "held leases", false, () -> store.renew(grants));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return line.call("release", "held leases", false, () -> {
            line.forget(grants);
            return store.release(grants);
        });
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return line.call("inspect", name, false, () -> store.inspect(name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return line.call("list", prefix, false, () -> store.list(prefix, limit));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return line.call("evict", name, false, () -> store.evict(name, epoch, by, reason));
    }

    @Override
    public void ping() {
        boolean unused = line.call("ping", "the store", false, () -> {
            store.ping();
            return true;
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
