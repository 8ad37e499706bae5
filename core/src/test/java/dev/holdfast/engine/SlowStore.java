package dev.holdfast.engine;

import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Answers every request, but takes its time for those that ask for a lock. */
final class SlowStore extends DelegatingStore {
    private final BooleanSupplier slow;
    private final long millis;

    SlowStore(String name, StoreContext context, BooleanSupplier slow, long millis) {
        super(name, context);
        this.slow = slow;
        this.millis = millis;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        AcquireOutcome outcome = super.tryAcquire(claim);
        takeTime();
        return outcome;
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        List<AcquireOutcome> outcomes = super.poll(claims);
        takeTime();
        return outcomes;
    }

    private void takeTime() {
        if (slow.getAsBoolean()) {
            takeMillis(millis);
        }
    }
}
