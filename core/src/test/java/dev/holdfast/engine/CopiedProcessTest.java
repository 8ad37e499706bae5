package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.client.Client;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The memory of a process may be copied while somebody waits in line: the claims that follow must not share an owner id. */
class CopiedProcessTest {
    private static final LockOptions OTHER = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(1));

    private final VirtualTime time = new VirtualTime();
    private long eraOfTheLastClaim;

    @Test
    void whoWaitsInLineHasNoOwnerIdYet() {
        try (Client holders = time.open("holder", context -> new DelegatingStore("copied", context));
                Client waiters = time.open("waiter", Store::new)) {
            Lease held = time.get(holders.lock("a").acquireAsync());
            CompletableFuture<Lease> first = waiters.lock("a").acquireAsync();
            // With other options, so the claim of the first does not do for it.
            CompletableFuture<Lease> second = waiters.lock("a", OTHER).acquireAsync();
            time.settle();

            time.ownerEra = 2;
            first.cancel(false);
            assertThat(time.get(held.releaseAsync())).isTrue();
            assertThat(time.get(second).release()).isTrue();
            assertThat(eraOfTheLastClaim).as("drawn when it was needed").isEqualTo(2);
        }
    }

    /** Remembers whose claims are asked for. */
    private final class Store extends DelegatingStore {
        Store(StoreContext context) {
            super("copied", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            eraOfTheLastClaim = claim.owner().high();
            return super.tryAcquire(claim);
        }
    }
}
