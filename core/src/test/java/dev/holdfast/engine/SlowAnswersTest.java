package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Answers that take their time, on virtual time: whoever waits is told what the store said of what it asked for. */
class SlowAnswersTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final VirtualTime time = new VirtualTime();
    private boolean slow;
    private boolean polled;

    /** Each request is answered within the command timeout of two seconds (P16). */
    @Test
    void anAsynchronousTryThatHasToReturnAnIdleGrantFirstWaitsForItsAnswer() {
        LockOptions kept = LockOptions.defaults().withStickyFor(Duration.ofMinutes(1));
        try (Holdfast locks = time.open("slow", AlmostTooSlow::new)) {
            time.get(locks.readWriteLock("a", kept).writeLock().acquireAsync()).close();
            slow = true;
            CompletableFuture<Optional<Lease>> once =
                    locks.readWriteLock("a").readLock().tryAcquireAsync(Duration.ZERO);
            time.advance(LONG);
            assertThat(once).isCompleted();
            assertThat(once.join()).isPresent();
            slow = false;
        }
    }

    /** That there is no room for five permits says nothing of one. */
    @Test
    void theRefusalOfALargerRequestIsNotToldToAWaiterForLess() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-sizes", context));
                Holdfast locks = time.open("slow", Sizes::new)) {
            Lease most = time.get(other.semaphore("s", 10).permits(6).acquireAsync());
            CompletableFuture<Optional<Lease>> one =
                    locks.semaphore("s", 10).permits(1).tryAcquireAsync(Duration.ofSeconds(1));
            CompletableFuture<Optional<Lease>> five =
                    locks.semaphore("s", 10).permits(5).tryAcquireAsync(Duration.ofSeconds(3));
            time.advance(LONG);
            assertThat(one)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(StoreUnavailableException.class);
            assertThat(five).as("its direct attempt was refused").isCompletedWithValue(Optional.empty());
            most.close();
        }
    }

    /**
     * A claim that was cancelled learns that the lock is taken when it is not any more. Whoever has asked meanwhile hears of its
     * own request only.
     */
    @Test
    void theAnswerToACancelledTryIsNotToldToOneThatBeganLater() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-cancelled", context));
                Holdfast locks = time.open("slow", FirstAnswersFirst::new)) {
            Lease held = time.get(other.lock("a").acquireAsync());
            CompletableFuture<Optional<Lease>> cancelled = locks.lock("a").tryAcquireAsync(Duration.ZERO);
            time.settle();
            cancelled.cancel(false);
            held.close();
            time.advance(Duration.ofMillis(10));
            CompletableFuture<Optional<Lease>> once = locks.lock("a").tryAcquireAsync(Duration.ZERO);
            time.advance(LONG);
            assertThat(once.join()).as("a free lock").isPresent();
        }
    }

    /**
     * The grant of a waiting claim is pushed, used and given back while an older "taken" for the same claim is still on its way. It
     * says nothing to a try that began when the lock was free.
     */
    @Test
    void theOvertakenAnswerToAServedClaimIsNotToldToATryThatBeganLater() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-overtaken", context));
                Holdfast locks = time.open("slow", PollsAnswerLate::new)) {
            Lease held = time.get(other.lock("a").acquireAsync());
            CompletableFuture<Lease> waiting = locks.lock("a").acquireAsync();
            while (!polled) {
                time.advance(Duration.ofMillis(10));
            }
            held.close();
            time.get(waiting).close();
            time.advance(Duration.ofMillis(10));
            slow = true;
            CompletableFuture<Optional<Lease>> once = locks.lock("a").tryAcquireAsync(Duration.ZERO);
            time.advance(LONG);
            assertThat(once.join()).as("a lock that was free all the time").isPresent();
        }
    }

    /**
     * A grant that is pushed to a claim that was given up is given back at once, not when the answer has come that is still on its
     * way.
     */
    @Test
    void theGrantOfAClaimThatWasGivenUpIsFreeAtOnce() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-overtaken", context));
                Holdfast locks = time.open("slow", PollsAnswerLate::new)) {
            Lease held = time.get(other.lock("a").acquireAsync());
            CompletableFuture<Lease> waiting = locks.lock("a").acquireAsync();
            while (!polled) {
                time.advance(Duration.ofMillis(10));
            }
            waiting.cancel(false);
            held.close();
            time.advance(Duration.ofMillis(100));
            assertThat(other.lock("a").tryAcquireAsync(Duration.ZERO))
                    .as("nobody else wants the lock")
                    .satisfies(once -> assertThat(time.get(once)).isPresent());
        }
    }

    private final class PollsAnswerLate extends DelegatingStore {
        PollsAnswerLate(StoreContext context) {
            super("slow-overtaken", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            time.callTakes(Duration.ofMillis(slow ? 1_500 : 0));
            return super.tryAcquire(claim);
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            polled = true;
            time.callTakes(Duration.ofMillis(1_000));
            return super.poll(claims);
        }
    }

    /** Each request is answered within the command timeout (P16), but the second one not in time for the short wait. */
    @Test
    void aShortWaitBehindAnotherIsToldWhatThatOneIsToldWhereTheStoreHasNoLines() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-lineless", context));
                Holdfast locks = time.open("slow", WithoutLines::new)) {
            Lease held = time.get(other.lock("a").acquireAsync());
            CompletableFuture<Lease> ahead = locks.lock("a").acquireAsync();
            time.advance(Duration.ofMillis(50));
            CompletableFuture<Optional<Lease>> behind = locks.lock("a").tryAcquireAsync(Duration.ofMillis(10));
            time.advance(LONG);
            assertThat(behind).isCompletedWithValue(Optional.empty());
            held.close();
            ahead.cancel(false);
        }
    }

    /** The store answers every request (P16); the grant of the short wait was evicted before it was heard of. */
    @Test
    void aShortWaitWhosePushedGrantWasTakenAwayBeforeItCameIsNotAcquired() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-evicted", context));
                Holdfast locks = time.open("slow", LossesFirst::new)) {
            Lease held = time.get(other.lock("a").acquireAsync());
            CompletableFuture<Optional<Lease>> wait = locks.lock("a").tryAcquireAsync(Duration.ofMillis(10));
            time.advance(Duration.ofMillis(20));
            held.close();
            assertThat(other.evict("a", "test")).isOne();
            time.advance(LONG);
            assertThat(wait).isCompletedWithValue(Optional.empty());
        }
    }

    private final class WithoutLines extends DelegatingStore {
        WithoutLines(StoreContext context) {
            super("slow-lineless", mute(context));
        }

        @Override
        public StoreTraits traits() {
            StoreTraits all = super.traits();
            return new StoreTraits(all.expiry(), Set.of(), all.shortestLease(), all.longestLease(), all.failover());
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            time.callTakes(Duration.ofMillis(1_500));
            return super.tryAcquire(new Claim(claim.parts(), claim.owner(), claim.lease(), claim.holder(), false));
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            return claims.stream().map(this::tryAcquire).toList();
        }
    }

    /** Messages of a loss overtake those of a grant, and both overtake answers. */
    private final class LossesFirst extends DelegatingStore {
        LossesFirst(StoreContext context) {
            super("slow-evicted", context.withListener(new Reordered(context.listener(), new ArrayList<>())));
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            time.callTakes(Duration.ofMillis(1_000));
            return super.tryAcquire(claim);
        }
    }

    private record Reordered(StoreListener engine, List<Runnable> later) implements StoreListener {
        @Override
        public void retry(String name, OwnerId owner) {
            engine.retry(name, owner);
        }

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {
            later.add(() -> engine.granted(grants, anchorNanos));
        }

        @Override
        public void wanted(String name, long epoch) {
            engine.wanted(name, epoch);
        }

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
            engine.lost(name, owner, epoch, reason);
            later.forEach(Runnable::run);
        }

        @Override
        public void sessionLost(String session) {
            engine.sessionLost(session);
        }
    }

    /** Each request is answered within 100 ms (P16), but they are made one after another, and many wait. */
    @Test
    void manyShortWaitsForALockOfAnotherKindAreAllToldThat() {
        try (Holdfast other = time.open("other", context -> new DelegatingStore("slow-mismatch", context));
                Holdfast locks = time.open("slow", TenthOfASecond::new)) {
            Lease held = time.get(other.semaphore("a", 3).permits(1).acquireAsync());
            List<CompletableFuture<Optional<Lease>>> waits = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                waits.add(locks.lock("a").tryAcquireAsync(Duration.ofMillis(10)));
            }
            time.advance(LONG);
            assertThat(waits)
                    .allSatisfy(wait -> assertThat(wait)
                            .failsWithin(Duration.ZERO)
                            .withThrowableThat()
                            .withCauseInstanceOf(LockMismatchException.class));
            held.close();
        }
    }

    private final class TenthOfASecond extends DelegatingStore {
        TenthOfASecond(StoreContext context) {
            super("slow-mismatch", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            time.callTakes(Duration.ofMillis(100));
            return super.tryAcquire(claim);
        }
    }

    private final class FirstAnswersFirst extends DelegatingStore {
        private int calls;

        FirstAnswersFirst(StoreContext context) {
            super("slow-cancelled", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            time.callTakes(Duration.ofMillis(++calls == 1 ? 1_000 : 1_500));
            return super.tryAcquire(claim);
        }
    }

    private final class AlmostTooSlow extends DelegatingStore {
        AlmostTooSlow(StoreContext context) {
            super("almost-too-slow", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            time.callTakes(Duration.ofMillis(slow ? 1_900 : 0));
            return super.tryAcquire(claim);
        }

        @Override
        public List<ReleaseOutcome> release(List<Grant> grants) {
            time.callTakes(Duration.ofMillis(slow ? 190 : 0));
            return super.release(grants);
        }
    }

    /** Loses the connection for one permit at once; then nothing is heard for as long as a command may take. */
    private final class Sizes extends DelegatingStore {
        Sizes(StoreContext context) {
            super("slow-sizes", context);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            if (claim.parts().get(0).units() == 1) {
                throw new StoreUnavailableException("acquire", "s", null);
            }
            time.callTakes(Duration.ofMillis(500));
            return super.tryAcquire(claim);
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            time.callTakes(Duration.ofSeconds(2));
            throw new StoreUnavailableException("poll", "s", null);
        }
    }
}
