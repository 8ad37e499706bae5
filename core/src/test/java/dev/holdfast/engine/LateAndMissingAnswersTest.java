package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.LockMismatchException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What comes of answers that arrive later than other news, or not at all. */
@Timeout(60)
class LateAndMissingAnswersTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** More than are remembered in a short list. */
    private static final int OTHER_LOSSES = 300;

    @Test
    void aLossThatOvertookTheReplyIsRememberedHoweverManyOthersAreToldMeanwhile() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:late-losses")) {
            List<Lease> held = new ArrayList<>();
            AtomicReference<@Nullable Lease> theirs = new AtomicReference<>();
            Consumer<List<Grant>> meanwhile = grants -> {
                other.evict("a", "test");
                for (int i = 0; i < OTHER_LOSSES; i++) {
                    other.evict("other/" + i, "test");
                }
                await().atMost(LIMIT).until(() -> held.stream().noneMatch(Lease::isHeld));
                theirs.set(other.lock("a").tryAcquire().orElseThrow());
            };
            try (Holdfast locks = Holdfast.builder()
                    .commandTimeout(LIMIT)
                    .store(context -> new LateReply("late-losses", context, meanwhile))
                    .build()) {
                for (int i = 0; i < OTHER_LOSSES; i++) {
                    held.add(locks.lock("other/" + i).acquire());
                }
                CompletableFuture<Lease> wait = locks.lock("a").acquireAsync();
                await().atMost(LIMIT).until(() -> theirs.get() != null);
                Lease first = Objects.requireNonNull(theirs.get(), "theirs");
                first.close();
                assertThat(wait).succeedsWithin(LIMIT);
                assertThat(wait.join().token())
                        .as("token of the lease that came after the other client's")
                        .isGreaterThan(first.token());
            }
        }
    }

    @Test
    void theEndOfASessionThatOvertookTheReplyIsRememberedHoweverManyOthersAreToldMeanwhile()
            throws InterruptedException {
        AtomicLong lostEpoch = new AtomicLong();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new LateReply("late-sessions", context, grants -> {
                    lostEpoch.set(grants.get(0).epoch());
                    for (int i = 0; i <= OTHER_LOSSES; i++) {
                        context.listener().sessionLost(LateReply.SESSION + i);
                    }
                }))
                .build()) {
            Lease lease = locks.lock("a").acquire();
            assertThat(lostEpoch.get()).isPositive();
            assertThat(Grant.epochOf(lease.token()) == lostEpoch.get() && lease.isHeld())
                    .as("holds a grant of the session that had ended")
                    .isFalse();
        }
    }

    /** The request that was not answered may reach the store later, when the name is free. */
    @Test
    void aClaimThatDoesNotFitIsWithdrawnIfItsFirstRequestMayStillArrive() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:late-mismatch")) {
            Lease permit = other.semaphore("a", 3).permits(1).acquire();
            AtomicReference<@Nullable Delayed> opened = new AtomicReference<>();
            try (Holdfast locks = Holdfast.builder()
                    .store(context -> {
                        Delayed store = new Delayed(context);
                        opened.set(store);
                        return store;
                    })
                    .build()) {
                assertThatThrownBy(() -> locks.lock("a").acquire()).isInstanceOf(LockMismatchException.class);
                permit.close();
                Delayed store = Objects.requireNonNull(opened.get(), "store");
                await().atMost(LIMIT).until(() -> store.withdrawals.get() > 0);
                store.deliver();
                assertThat(other.inspect("a"))
                        .as("who holds or waits for what nobody asks for any more")
                        .isEmpty();
            }
        }
    }

    /** Nobody holds the locks, as far as anybody can tell. */
    @Test
    void aTryBehindAWaiterOfTheSameClientDoesNotTakeAnOutageForTaken() {
        Duration timeout = Duration.ofMillis(100);
        AtomicReference<@Nullable SilentStore> opened = new AtomicReference<>();
        Set<String> failed = ConcurrentHashMap.newKeySet();
        try (Holdfast locks = Holdfast.builder()
                .commandTimeout(timeout)
                .listener(event -> {
                    if (event instanceof HoldfastEvent.StoreFailed failure) {
                        failed.add(failure.lockName());
                    }
                })
                .store(context -> {
                    SilentStore store = new SilentStore("late-outage", context);
                    store.silence(name -> true);
                    opened.set(store);
                    return store;
                })
                .build()) {
            DistributedLock lock = locks.lock("a");
            DistributedLock readLock = locks.readWriteLock("b").readLock();
            List<CompletableFuture<Lease>> waiting = List.of(lock.acquireAsync(), readLock.acquireAsync());
            await().atMost(LIMIT).until(() -> failed.containsAll(Set.of("a", "b")));
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
                assertThatThrownBy(readLock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
            }
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            Objects.requireNonNull(opened.get(), "store").heal();
        }
    }

    /** The first time that "a" is granted, much happens before the reply arrives. */
    private static final class LateReply extends DelegatingStore {
        static final String SESSION = "session-";

        private final Consumer<List<Grant>> meanwhile;
        private final AtomicBoolean late = new AtomicBoolean();

        LateReply(String name, StoreContext context, Consumer<List<Grant>> meanwhile) {
            super(name, context);
            this.meanwhile = meanwhile;
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            AcquireOutcome outcome = super.tryAcquire(claim);
            if (outcome instanceof AcquireOutcome.Granted granted
                    && claim.parts().get(0).name().equals("a")
                    && late.compareAndSet(false, true)) {
                meanwhile.accept(granted.grants());
                return new AcquireOutcome.Granted(granted.grants().stream()
                        .map(grant -> SessionStore.ofSession(grant, claim.lease(), SESSION + 0))
                        .toList());
            }
            return outcome;
        }
    }

    /** The first request stays in the network until it is delivered. */
    private static final class Delayed extends DelegatingStore {
        private final AtomicReference<@Nullable Claim> inTheNetwork = new AtomicReference<>();
        private final AtomicInteger withdrawals = new AtomicInteger();

        Delayed(StoreContext context) {
            super("late-mismatch", context);
        }

        void deliver() {
            AcquireOutcome unread = super.tryAcquire(Objects.requireNonNull(inTheNetwork.get(), "request"));
            assertThat(unread).isNotInstanceOf(AcquireOutcome.Granted.class);
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            if (inTheNetwork.compareAndSet(null, claim)) {
                throw new StoreUnavailableException("acquire", "a", null);
            }
            return super.tryAcquire(claim);
        }

        @Override
        public void withdraw(Claim claim, boolean mayStillArrive) {
            super.withdraw(claim, mayStillArrive);
            withdrawals.incrementAndGet();
        }
    }
}
