package dev.holdfast.simulation;

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
import java.util.function.Function;

/** The store as a client's own threads see it: each call is carried to the server and back, or fails on the way. */
final class RemoteStore implements LockStore {
    private final Wire wire;

    /** Carries a call to the server and its answer back. */
    interface Wire {
        /**
         * Makes a call.
         *
         * @throws dev.holdfast.StoreUnavailableException if it did not get through, or its answer did not
         */
        <R> R carry(String operation, Function<LockStore, R> call);
    }

    private final StoreTraits traits;

    RemoteStore(Wire wire) {
        this(wire, ServerView.TRAITS);
    }

    RemoteStore(Wire wire, StoreTraits traits) {
        this.wire = wire;
        this.traits = traits;
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return wire.carry("acquire", store -> store.tryAcquire(claim));
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return wire.carry("poll", store -> store.poll(claims));
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        wire.carry("withdraw", store -> {
            store.withdraw(claim, mayStillArrive);
            return true;
        });
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return wire.carry("renew", store -> store.renew(grants));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return wire.carry("release", store -> store.release(grants));
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return wire.carry("inspect", store -> store.inspect(name));
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return wire.carry("list", store -> store.list(prefix, limit));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return wire.carry("evict", store -> store.evict(name, epoch, by, reason));
    }

    @Override
    public void ping() {
        wire.carry("ping", store -> {
            store.ping();
            return true;
        });
    }

    @Override
    public void close() {}
}
