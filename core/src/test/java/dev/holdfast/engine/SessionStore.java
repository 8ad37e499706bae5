package dev.holdfast.engine;

import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;

/**
 * A store whose grants and waiters live as long as the client's session: they never expire by time. In an outage it
 * answers neither releases nor withdrawals.
 */
final class SessionStore extends DelegatingStore {
    /** Longer than any test lets time go on. */
    private static final Duration FOR_EVER = Duration.ofDays(3_000);

    private final String session;
    private boolean out;

    SessionStore(String name, StoreContext context) {
        super(name, context);
        this.session = context.clientName();
    }

    void outage(boolean begins) {
        out = begins;
    }

    @Override
    public StoreTraits traits() {
        StoreTraits traits = super.traits();
        return new StoreTraits(
                StoreTraits.Expiry.SESSION,
                traits.promises(),
                traits.shortestLease(),
                traits.longestLease(),
                traits.failover());
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        AcquireOutcome outcome =
                super.tryAcquire(new Claim(claim.parts(), claim.owner(), FOR_EVER, claim.holder(), claim.queue()));
        return outcome instanceof AcquireOutcome.Granted granted
                ? new AcquireOutcome.Granted(granted.grants().stream()
                        .map(grant -> ofSession(grant, claim.lease(), session))
                        .toList())
                : outcome;
    }

    static Grant ofSession(Grant grant, Duration lease, String session) {
        return new Grant(grant.name(), grant.owner(), grant.epoch(), lease, null, session, grant.wanted());
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        return claims.stream().map(this::tryAcquire).toList();
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        if (out) {
            throw new StoreUnavailableException("withdraw", claim.describe(), null);
        }
        super.withdraw(claim, mayStillArrive);
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        if (out) {
            throw new StoreUnavailableException("release", grants.get(0).name(), null);
        }
        return super.release(grants);
    }
}
