package dev.holdfast.spring.locked;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One lease that a call took, and when. */
record Taken(LockPlan.Need need, Lease lease, long sinceNanos) {

    static Taken now(LockPlan.Need need, Lease lease) {
        return new Taken(need, lease, System.nanoTime());
    }

    /**
     * Ends the hold after the method's work.
     *
     * @throws LeaseLostException if the lease was lost before
     */
    void done() {
        Duration rest = need.plan().holdAtLeast().minusNanos(System.nanoTime() - sinceNanos);
        if (rest.isNegative() || rest.isZero()) {
            lease.close();
            return;
        }
        lease.ensureHeld();
        CompletableFuture.delayedExecutor(rest.toNanos(), TimeUnit.NANOSECONDS).execute(lease::release);
    }

    /** {@return the failure to throw after the hold has ended: the given one, with a loss noted in it, or the loss} */
    @Nullable
    Throwable doneWith(@Nullable Throwable failure) {
        try {
            done();
        } catch (LeaseLostException lost) {
            if (failure == null) {
                return lost;
            }
            failure.addSuppressed(lost);
        }
        return failure;
    }
}
