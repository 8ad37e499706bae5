package dev.holdfast.engine;

import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import dev.holdfast.spi.StoreUri;
import dev.holdfast.store.memory.MemoryStoreProvider;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The memory store of a name; a test overrides what is to go wrong. */
public class DelegatingStore implements LockStore {
    private final LockStore memory;

    public DelegatingStore(String name, StoreContext context) {
        memory = new MemoryStoreProvider().open(StoreUri.parse("memory:" + name, Map.of(), null), context);
    }

    /** A context whose store can tell nobody anything unasked. */
    static StoreContext mute(StoreContext context) {
        return context.withListener(new Deaf());
    }

    static StoreTraits withoutPushes(StoreTraits traits) {
        Set<StoreTraits.Promise> promises = EnumSet.copyOf(traits.promises());
        promises.remove(StoreTraits.Promise.PUSHES);
        return new StoreTraits(
                traits.expiry(), promises, traits.shortestLease(), traits.longestLease(), traits.failover());
    }

    /** What a slow server does. */
    static void takeMillis(long millis) {
        try {
            if (new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS)) {
                throw new AssertionError("nobody counts down");
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public StoreTraits traits() {
        return memory.traits();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return memory.tryAcquire(claim);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return memory.poll(claims);
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        memory.withdraw(claim, mayStillArrive);
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return memory.renew(grants);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return memory.release(grants);
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return memory.inspect(name);
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return memory.list(prefix, limit);
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return memory.evict(name, epoch, by, reason);
    }

    @Override
    public void ping() {
        memory.ping();
    }

    @Override
    public void close() {
        memory.close();
    }

    static final class CountingRenewals extends DelegatingStore {
        private final AtomicInteger renewals;

        CountingRenewals(String name, StoreContext context, AtomicInteger renewals) {
            super(name, context);
            this.renewals = renewals;
        }

        @Override
        public List<RenewOutcome> renew(List<Grant> grants) {
            List<RenewOutcome> outcomes = super.renew(grants);
            renewals.incrementAndGet();
            return outcomes;
        }
    }

    /** While one request is under way, the other claims become due. */
    static final class SlowlyPolled extends DelegatingStore {
        SlowlyPolled(String name, StoreContext context) {
            super(name, mute(context));
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            return soon(super.tryAcquire(claim));
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            takeMillis(50);
            return super.poll(claims).stream().map(SlowlyPolled::soon).toList();
        }

        private static AcquireOutcome soon(AcquireOutcome outcome) {
            return outcome instanceof AcquireOutcome.Contended
                    ? new AcquireOutcome.Contended(Duration.ofMillis(5))
                    : outcome;
        }
    }

    private static final class Deaf implements StoreListener {
        @Override
        public void retry(String name, OwnerId owner) {}

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {}

        @Override
        public void wanted(String name, long epoch) {}

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {}

        @Override
        public void sessionLost(String session) {}
    }
}
