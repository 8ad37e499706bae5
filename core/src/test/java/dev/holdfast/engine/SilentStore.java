package dev.holdfast.engine;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store some of whose members can be cut off: then a call for one of their names takes a whole command timeout and
 * fails without having had any effect, as with a black hole in the network.
 */
final class SilentStore extends DelegatingStore {
    private final Duration timeout;

    /** Names whose member is cut off; null while everything answers. */
    private volatile @Nullable Predicate<String> silent;

    private final CountDownLatch healed = new CountDownLatch(1);

    SilentStore(String name, StoreContext context) {
        super(name, context);
        this.timeout = context.commandTimeout();
    }

    void silence(Predicate<String> names) {
        silent = names;
    }

    /** Ends the outage for good, also for calls that wait for their timeout. */
    void heal() {
        silent = null;
        healed.countDown();
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        reach("acquire", claim.parts().get(0).name());
        return super.tryAcquire(claim);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        claims.forEach(claim -> reach("poll", claim.parts().get(0).name()));
        return super.poll(claims);
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        reach("withdraw", claim.parts().get(0).name());
        super.withdraw(claim, mayStillArrive);
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        grants.forEach(grant -> reach("renew", grant.name()));
        return super.renew(grants);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        grants.forEach(grant -> reach("release", grant.name()));
        return super.release(grants);
    }

    private void reach(String operation, String name) {
        Predicate<String> names = silent;
        if (names == null || !names.test(name)) {
            return;
        }
        try {
            if (healed.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        throw new StoreUnavailableException(operation, name, null);
    }
}
