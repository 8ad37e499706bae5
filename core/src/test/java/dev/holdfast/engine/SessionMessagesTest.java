package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of a session may be told before the reply that brings a grant of it. */
@Timeout(60)
class SessionMessagesTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private enum Asked {
        LOCK(locks -> locks.lock("a")),
        READ_LOCK(locks -> locks.readWriteLock("a").readLock()),
        SEVERAL_NAMES(locks -> locks.all("a", "b"));

        private final Function<Holdfast, DistributedLock> lock;

        Asked(Function<Holdfast, DistributedLock> lock) {
            this.lock = lock;
        }
    }

    @ParameterizedTest
    @EnumSource(Asked.class)
    void aGrantOfASessionWhoseEndWasToldBeforeIsNotHeld(Asked asked) throws InterruptedException {
        AtomicLong lastLostEpoch = new AtomicLong();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new Overtaken(context, lastLostEpoch))
                .build()) {
            assertNotOfTheLostSession(asked.lock.apply(locks).acquire(), lastLostEpoch);
        }
    }

    @ParameterizedTest
    @EnumSource(Asked.class)
    void theSameInTheBackground(Asked asked) {
        AtomicLong lastLostEpoch = new AtomicLong();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new Overtaken(context, lastLostEpoch))
                .build()) {
            CompletableFuture<Lease> wait = asked.lock.apply(locks).acquireAsync();
            assertThat(wait).succeedsWithin(LIMIT);
            assertNotOfTheLostSession(wait.join(), lastLostEpoch);
        }
    }

    private static void assertNotOfTheLostSession(Lease lease, AtomicLong lastLostEpoch) {
        assertThat(lastLostEpoch.get()).isPositive();
        if (lease.token("a") < Grant.token(lastLostEpoch.get() + 1, 0)) {
            assertThat(lease.isHeld())
                    .as("a lease of the session that had ended")
                    .isFalse();
        }
    }

    /** The first session ends while its grant is on the way; the second one lives. */
    private static final class Overtaken extends DelegatingStore {
        private final StoreListener engine;
        private final AtomicLong lastLostEpoch;

        Overtaken(StoreContext context, AtomicLong lastLostEpoch) {
            super("sessions", context);
            this.engine = context.listener();
            this.lastLostEpoch = lastLostEpoch;
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            if (!(outcome instanceof AcquireOutcome.Granted granted)) {
                return outcome;
            }
            boolean first = lastLostEpoch.get() == 0;
            List<Grant> grants = granted.grants().stream()
                    .map(grant -> SessionStore.ofSession(grant, claim.lease(), first ? "first" : "second"))
                    .toList();
            if (first) {
                // What was held by the session is free at the store.
                grants.forEach(grant -> lastLostEpoch.accumulateAndGet(grant.epoch(), Math::max));
                super.withdraw(claim, false);
                engine.sessionLost("first");
            }
            return new AcquireOutcome.Granted(grants);
        }
    }
}
