package dev.holdfast.engine;

import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One lock and its line, pushed to one gate. It uses no collection of the JDK that changes: Lincheck would instrument
 * that class for the whole JVM, its own use of it included. Thread-safe.
 */
public final class OneLockStore implements LockStore {
    static final long CLOCK_STANDS_AT = 1;
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.LEASE,
            Set.of(Promise.FAIR, Promise.PUSHES, Promise.SEES_WAITERS),
            Duration.ofSeconds(1),
            Duration.ofDays(1),
            "it cannot fail");

    /** Whom to tell of grants; set once, before the first call. */
    private @Nullable Gate gate;

    /** The first in line; this and the rest are guarded by this object's monitor. */
    private @Nullable Place line;

    private @Nullable Grant holder;
    private long epoch;

    private record Place(Claim claim, @Nullable Place behind) {
        static Place add(@Nullable Place first, Claim claim) {
            return first == null ? new Place(claim, null) : new Place(first.claim, add(first.behind, claim));
        }

        static @Nullable Place remove(@Nullable Place first, Claim claim) {
            if (first == null || first.claim.owner().equals(claim.owner())) {
                return first == null ? null : first.behind;
            }
            return new Place(first.claim, remove(first.behind, claim));
        }
    }

    void pushTo(Gate listening) {
        gate = listening;
    }

    synchronized boolean isHeld() {
        return holder != null;
    }

    synchronized boolean hasLine() {
        return line != null;
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public synchronized AcquireOutcome tryAcquire(Claim claim) {
        Grant current = holder == null ? grant(claim) : holder;
        if (current.owner().equals(claim.owner())) {
            return new AcquireOutcome.Granted(List.of(current));
        }
        if (claim.queue()) {
            line = Place.add(line, claim);
        }
        return new AcquireOutcome.Contended(claim.lease());
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        push(leave(claim));
    }

    private synchronized @Nullable Grant leave(Claim claim) {
        line = Place.remove(line, claim);
        return holder != null && holder.owner().equals(claim.owner()) ? next() : null;
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        Grant next;
        synchronized (this) {
            if (holder == null || holder.epoch() != grants.get(0).epoch()) {
                return List.of(ReleaseOutcome.NOT_HELD);
            }
            next = next();
        }
        push(next);
        return List.of(ReleaseOutcome.RELEASED);
    }

    private @Nullable Grant next() {
        holder = null;
        Place first = line;
        if (first == null) {
            return null;
        }
        line = first.behind;
        return grant(first.claim);
    }

    private Grant grant(Claim claim) {
        Grant granted =
                new Grant(claim.describe(), claim.owner(), ++epoch, claim.lease(), claim.lease(), null, line != null);
        holder = granted;
        return granted;
    }

    /** Not under the monitor, as every store has to. */
    private void push(@Nullable Grant granted) {
        if (granted != null && gate != null) {
            gate.pushed(granted.owner(), List.of(granted), CLOCK_STANDS_AT);
        }
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        throw new UnsupportedOperationException("every grant is pushed");
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        throw new UnsupportedOperationException("time stands still");
    }

    @Override
    public Optional<LockView> inspect(String name) {
        throw new UnsupportedOperationException("ask isHeld");
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        throw new UnsupportedOperationException("ask isHeld");
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        throw new UnsupportedOperationException("nobody evicts");
    }

    @Override
    public void ping() {}

    @Override
    public void close() {}
}
