package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A wait without limit can end by an interrupt, and then leaves a claim to be withdrawn. While the store is out these pile up, but
 * not without bound (P20).
 */
@Timeout(60)
class InterruptedWaitsAreBoundedTest {
    private static final int MOST = 100_000;
    private static final int MORE = MOST + 10_000;

    private final VirtualTime time = new VirtualTime();
    private boolean out = true;
    private int withdrawn;

    @Test
    void waitsThatAreInterruptedInAnOutageLeaveNoMoreThanTheBound() {
        try (Holdfast locks = time.open("locks", InterruptingStore::new)) {
            int refused = 0;
            for (int i = 0; i < MORE; i++) {
                refused += isRefused(locks, "n" + i) ? 1 : 0;
            }
            assertThat(refused)
                    .as("refused, because so much is to be withdrawn")
                    .isEqualTo(MORE - MOST);

            out = false;
            time.settle();
            time.advance(Duration.ofMinutes(5));
            assertThat(withdrawn).isEqualTo(MOST);
        }
    }

    private static boolean isRefused(Holdfast locks, String name) {
        try {
            throw new AssertionError("held by " + locks.lock(name).acquire());
        } catch (StoreUnavailableException full) {
            return true;
        } catch (InterruptedException asPlanned) {
            return false;
        } finally {
            Thread.interrupted();
        }
    }

    /** Whoever asks it is interrupted, and nobody is answered. */
    private final class InterruptingStore extends DelegatingStore {
        InterruptingStore(StoreContext context) {
            super("interrupting", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("acquire", claim.describe(), null);
        }

        @Override
        public void withdraw(Claim claim, boolean mayStillArrive) {
            if (out) {
                throw new StoreUnavailableException("withdraw", claim.describe(), null);
            }
            withdrawn++;
            super.withdraw(claim, mayStillArrive);
        }
    }
}
