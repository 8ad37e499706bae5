package dev.holdfast.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One member of several does not answer those who wait: who waits at another member finds out that it is free there. */
@Timeout(60)
class SilentMemberPollTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int REQUESTS_AT_ONCE = 4;

    private static final Duration SOON = Duration.ofMillis(5);

    private final AtomicReference<@Nullable OwnerId> aliveOwner = new AtomicReference<>();
    private final AtomicReference<@Nullable StoreListener> listener = new AtomicReference<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger polledWhenOver = new AtomicInteger();
    private final Semaphore hanging = new Semaphore(0);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Holdfast other = Holdfast.connect("memory:silent-polls");
    private final Holdfast locks = Holdfast.builder().store(Members::new).build();

    @AfterEach
    void close() {
        goOn.countDown();
        locks.close();
        other.close();
    }

    @Test
    void waitersAtASilentMemberDoNotHoldUpThoseAtAnother() throws InterruptedException {
        Lease held = other.lock("alive").acquire();
        CompletableFuture<Lease> waiting = locks.lock("alive").acquireAsync();
        for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
            CompletableFuture<Lease> unused = locks.lock("dead" + i).acquireAsync();
            assertThat(hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        held.close();
        assertThat(waiting).succeedsWithin(LIMIT);
        assertThat(goOn.getCount()).as("the silent member is still silent").isOne();
    }

    @Test
    void waitersAtAMemberThatFallsSilentDoNotHoldUpThoseAtAnother() throws InterruptedException {
        Lease held = other.lock("alive").acquire();
        List<Lease> taken = new ArrayList<>();
        for (int i = 0; i <= REQUESTS_AT_ONCE; i++) {
            taken.add(other.lock("fails" + i).acquire());
            CompletableFuture<Lease> unused = locks.lock("fails" + i).acquireAsync();
            assertThat(hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        // Only now, so that it shares no request with those that hang.
        CompletableFuture<Lease> waiting = locks.lock("alive").acquireAsync();
        held.close();
        assertThat(waiting).succeedsWithin(LIMIT);
        assertThat(goOn.getCount()).as("the silent member is still silent").isOne();
        assertThat(taken).allMatch(Lease::isHeld);
    }

    /** P9: whoever was granted by a message and has given that back is not asked for any more. */
    @Test
    void aClaimThatWasGrantedBeforeItWasPolledIsNotPolled() throws InterruptedException {
        Holdfast told = Holdfast.builder().store(Recording::new).build();
        try (told) {
            CompletableFuture<Lease> hangs = told.lock("dead").acquireAsync();
            assertThat(hanging.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            Lease held = other.lock("alive").acquire();
            CompletableFuture<Lease> waiting = told.lock("alive").acquireAsync();
            await().atMost(LIMIT).until(() -> aliveOwner.get() != null && listener.get() != null);
            await().atMost(LIMIT)
                    .until(() -> !other.inspect("alive").orElseThrow().waiters().isEmpty());
            // Its request waits for a moment behind the one that hangs; the message with the grant does not.
            requireNonNull(listener.get()).retry("alive", requireNonNull(aliveOwner.get()));
            held.close();
            Lease granted = waiting.join();
            over.set(true);
            granted.close();
            goOn.countDown();
            told.close();
            assertThat(polledWhenOver.get())
                    .as("polls of a claim that was over")
                    .isZero();
            assertThat(hangs).isCompletedExceptionally();
        }
    }

    /** A member that tells its clients, and whose polls about "dead" hang. */
    private final class Recording extends DelegatingStore {
        Recording(StoreContext context) {
            super("silent-polls", context);
            listener.set(context.listener());
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            if (claim.parts().get(0).name().equals("dead")) {
                return new AcquireOutcome.Contended(SOON);
            }
            aliveOwner.set(claim.owner());
            return super.tryAcquire(claim);
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            if (claims.stream().anyMatch(claim -> claim.parts().get(0).name().equals("dead"))) {
                hanging.release();
                takeUntil(goOn);
                throw new StoreUnavailableException("poll", "dead", null);
            }
            if (over.get()) {
                polledWhenOver.incrementAndGet();
            }
            return super.poll(claims);
        }
    }

    /** Tells nobody anything. Refuses to answer for names that begin with "dead", and polls for all but "alive" hang. */
    private final class Members extends DelegatingStore {
        Members(StoreContext context) {
            super("silent-polls", mute(context));
        }

        @Override
        public StoreTraits traits() {
            return withoutPushes(super.traits());
        }

        @Override
        public AcquireOutcome tryAcquire(Claim claim) {
            if (claim.parts().get(0).name().startsWith("dead")) {
                throw new StoreUnavailableException("acquire", claim.describe(), null);
            }
            AcquireOutcome outcome = super.tryAcquire(claim);
            return outcome instanceof AcquireOutcome.Contended ? new AcquireOutcome.Contended(SOON) : outcome;
        }

        @Override
        public List<AcquireOutcome> poll(List<Claim> claims) {
            for (Claim claim : claims) {
                if (!claim.parts().get(0).name().startsWith("alive")) {
                    hanging.release();
                    takeUntil(goOn);
                    throw new StoreUnavailableException("poll", claim.describe(), null);
                }
            }
            return super.poll(claims);
        }
    }

    private static void takeUntil(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }
}
