package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A loss is told by another thread at the very moment at which the reply turns a claim over several names into a lease.
 * Whoever comes first, the lease must not be held afterwards: a claim may not be forgotten before its grant is known.
 */
@Timeout(60)
class OvertakenGrantStressTest {
    private static final int ROUNDS = 300;

    /** In steps of a spinning thread: about as long as the engine takes for a reply. */
    private static final int LONGEST_PAUSE = 300;

    /** What was granted and whose loss has not been told yet. */
    private final AtomicReference<@Nullable Grant> toBeLost = new AtomicReference<>();

    private final AtomicReference<@Nullable StoreListener> engine = new AtomicReference<>();
    private volatile int granted;
    private volatile int told;

    @Test
    void aLossThatMeetsItsGrantIsNeverMissed() throws InterruptedException {
        try (Holdfast locks = Holdfast.builder().store(Announcing::new).build()) {
            Thread teller = new Thread(this::tellLosses, "teller");
            teller.start();
            DistributedLock lock = locks.all("a", "b");
            int missed = 0;
            while (granted < ROUNDS) {
                Optional<Lease> lease = tryOnce(lock);
                while (told < granted) {
                    Thread.onSpinWait();
                }
                if (lease.isPresent() && lease.get().isHeld()) {
                    missed++;
                }
                lease.ifPresent(Lease::release);
            }
            teller.join();
            assertThat(missed)
                    .as("leases that are held although their loss was told, of %s", ROUNDS)
                    .isZero();
        }
    }

    /** Contended while the last grant is on its way back; without an answer if the grant was lost before its reply. */
    private static Optional<Lease> tryOnce(DistributedLock lock) {
        try {
            return lock.tryAcquire();
        } catch (StoreUnavailableException lostBefore) {
            return Optional.empty();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void tellLosses() {
        Random random = new Random(1);
        while (told < ROUNDS) {
            Grant grant = toBeLost.getAndSet(null);
            StoreListener listening = engine.get();
            if (grant != null && listening != null) {
                for (int pause = random.nextInt(LONGEST_PAUSE); pause > 0; pause--) {
                    Thread.onSpinWait();
                }
                listening.lost(grant.name(), grant.owner(), grant.epoch(), LossReason.EVICTED);
                told++;
            }
        }
    }

    /** Shows each grant to the thread that tells losses, before the engine sees it. */
    private final class Announcing extends DelegatingStore {
        Announcing(StoreContext context) {
            super("overtaken-stress", context);
            engine.set(context.listener());
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            if (outcome instanceof AcquireOutcome.Granted granting) {
                granted++;
                toBeLost.set(granting.grants().get(0));
            }
            return outcome;
        }
    }
}
