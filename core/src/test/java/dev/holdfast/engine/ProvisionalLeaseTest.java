package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.engine.client.Client;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lock that was handed on has a lease of a few seconds until its first renewal, however long its lease time is. */
class ProvisionalLeaseTest {
    private static final LockOptions LONG = LockOptions.defaults().withLeaseTime(Duration.ofMinutes(10));

    private final VirtualTime time = new VirtualTime();
    private int renewalsToFail;
    private Duration failuresTake = Duration.ZERO;

    @Test
    void oneFailedRenewalDoesNotCostALongLeaseThatWasHandedOn() {
        assertThatItOutlivesOneFailedRenewal(LONG);
    }

    /** As over a connection that was cut in silence while it was idle: the command timeout is most of that lease. */
    @Test
    void oneRenewalThatIsNeverAnsweredDoesNotCostAUsualLeaseThatWasHandedOn() {
        failuresTake = Duration.ofSeconds(2);
        assertThatItOutlivesOneFailedRenewal(LockOptions.defaults());
    }

    private void assertThatItOutlivesOneFailedRenewal(LockOptions options) {
        try (Client holders = time.open("holder", Store::new);
                Client waiters = time.open("waiter", Store::new)) {
            Lease held = time.get(holders.lock("a").acquireAsync());
            CompletableFuture<Lease> next = waiters.lock("a", options).acquireAsync();
            time.settle();

            renewalsToFail = 1;
            assertThat(time.get(held.releaseAsync())).isTrue();
            Lease handedOn = time.get(next);
            time.advance(Duration.ofSeconds(30));

            assertThat(renewalsToFail).as("renewals still to fail").isZero();
            assertThat(handedOn.isHeld()).isTrue();
        }
    }

    /** Fails a few renewals, and answers all others. */
    private final class Store extends DelegatingStore {
        Store(StoreContext context) {
            super("provisional", context);
        }

        @Override
        public List<RenewOutcome> renew(List<Grant> grants) {
            if (renewalsToFail > 0) {
                renewalsToFail--;
                time.callTakes(failuresTake);
                throw new StoreUnavailableException("renew", "held leases", null);
            }
            return super.renew(grants);
        }
    }
}
