package dev.holdfast.engine;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LossReason;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The handle that a user holds. Everything that lives on after it is forgotten is in its {@link Hold}. */
final class HeldLease implements Lease {
    final Hold hold;

    HeldLease(HeldGrant grant, Waiter taker, long now) {
        this.hold = new Hold(this, grant, taker, now);
    }

    @Override
    public String name() {
        return hold.grant.terms.describe();
    }

    @Override
    public List<String> names() {
        return hold.grant.terms.parts.stream().map(Claim.Part::name).toList();
    }

    @Override
    public long token() {
        if (hold.grant.grants.size() > 1) {
            throw new IllegalStateException(
                    "this lease holds several names, each with a token of its own; ask token(name) for one of "
                            + names());
        }
        return hold.token();
    }

    @Override
    public long token(String name) {
        for (Grant grant : hold.grant.grants) {
            if (grant.name().equals(name)) {
                return Grant.token(grant.epoch(), hold.sequence);
            }
        }
        throw new IllegalArgumentException("this lease does not hold '" + name + "', but " + names());
    }

    @Override
    public boolean isExclusive() {
        return hold.grant.terms.exclusive();
    }

    @Override
    public boolean isHeld() {
        return hold.isHeld(engine().now());
    }

    @Override
    public Duration remaining() {
        long now = engine().now();
        if (!hold.isHeld(now)) {
            return Duration.ZERO;
        }
        long until = Math.min(hold.grant.validUntilNanos, hold.endsByNanos);
        return Duration.ofNanos(until == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, until - now));
    }

    @Override
    public void ensureHeld() {
        if (isHeld()) {
            return;
        }
        LossReason reason = hold.grant.noticeLoss(hold, null);
        if (reason != null) {
            throw new LeaseLostException(name(), reason);
        }
        // Otherwise it was renewed at this very moment.
        if (hold.state == Hold.State.RELEASED) {
            throw new IllegalStateException("the lease of '" + name() + "' was released");
        }
    }

    @Override
    public void onLost(Consumer<LossReason> action) {
        onLost(engine().lossCallbacks, action);
    }

    void onLost(Executor where, Consumer<LossReason> action) {
        Objects.requireNonNull(action, "action");
        LossReason reason = hold.grant.noticeLoss(hold, new Hold.Listener(where, action));
        if (reason != null) {
            engine().events.guarded(name(), () -> action.accept(reason));
        }
    }

    @Override
    public boolean release() {
        hold.beginClosing();
        boolean released = acknowledged(engine().release(hold));
        Reference.reachabilityFence(this);
        return released;
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        hold.beginClosing();
        return engine().releaseAsync(hold).thenApply(this::acknowledged);
    }

    @Override
    public void close() {
        hold.beginClosing();
        ReleaseResult result = engine().release(hold);
        // Until the release is recorded, this handle must not look forgotten.
        Reference.reachabilityFence(this);
        if (result == ReleaseResult.LOST_BEFORE && !hold.lossAcknowledged) {
            throw new LeaseLostException(name(), Objects.requireNonNullElse(hold.reason, LossReason.EXPIRED));
        }
    }

    @Override
    public String toString() {
        return "Lease[" + name() + ", token " + hold.token() + ", " + hold.state + "]";
    }

    /** Who was told of a loss by {@link #release()} is not told again by {@link #close()}. */
    private boolean acknowledged(ReleaseResult result) {
        hold.lossAcknowledged |= result == ReleaseResult.LOST_BEFORE;
        return result == ReleaseResult.RELEASED;
    }

    private Engine engine() {
        return hold.grant.gate.engine;
    }
}
