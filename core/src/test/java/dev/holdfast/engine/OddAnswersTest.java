package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stores that answer less, or other things, than they were asked. */
@Timeout(60)
class OddAnswersTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final LockOptions OPTIONS = LockOptions.defaults();

    /** P2: an outcome that nobody knows is reported as unknown (and asked again); P14, P20. */
    @Test
    void anAnswerOfTheWrongSizeToAReleaseIsNoAnswer() throws InterruptedException {
        AtomicBoolean first = new AtomicBoolean(true);
        try (Holdfast other = Holdfast.connect("memory:wrong-size");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new DelegatingStore("wrong-size", context) {
                            @Override
                            public List<ReleaseOutcome> release(List<Grant> grants) {
                                return first.getAndSet(false)
                                        ? super.release(grants.subList(0, 1))
                                        : super.release(grants);
                            }
                        })
                        .build()) {
            locks.all("a", "b").acquire().close();
            await("both names are free at the store")
                    .atMost(LIMIT)
                    .until(() -> other.list("", 10).stream()
                            .allMatch(seen -> seen.holders().isEmpty()));
        }
    }

    /** P2: "cannot tell" says why, also where the store tells it as an outcome and nobody waits. */
    @Test
    void anUnknownOutcomeOfATryKeepsItsCause() {
        RuntimeException why = new IllegalStateException("one of two members is silent");
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new DelegatingStore("unknown-try", context) {
                    @Override
                    public AcquireOutcome tryAcquire(Claim claim) {
                        return new AcquireOutcome.Unknown(why);
                    }
                })
                .build()) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> locks.lock("x").tryAcquire())
                    .withCause(why);
        }
    }

    /** P1: a lease of two names of which the store granted one. */
    @Test
    void aGrantOfFewerNamesThanAskedForIsNoAnswer() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:half");
                Holdfast locks = Holdfast.builder()
                        .commandTimeout(Duration.ofSeconds(1))
                        .store(context -> new DelegatingStore("half", context) {
                            @Override
                            public AcquireOutcome tryAcquire(Claim claim) {
                                return super.tryAcquire(new Claim(
                                        claim.parts().subList(0, 1),
                                        claim.owner(),
                                        claim.lease(),
                                        claim.holder(),
                                        claim.queue()));
                            }
                        })
                        .build()) {
            Optional<Lease> lease;
            try {
                lease = locks.all("a", "b").tryAcquire();
            } catch (StoreUnavailableException fine) {
                lease = Optional.empty();
            }
            Optional<Lease> rival = other.lock("b").tryAcquire();
            assertThat(lease.isPresent() && lease.get().isHeld() && rival.isPresent())
                    .as("both hold b")
                    .isFalse();
        }
    }

    /** P10: an answer without an outcome makes the lease endless. */
    @Test
    void anEmptyRenewalOutcomeExtendsNothing() throws InterruptedException {
        AtomicInteger renewals = new AtomicInteger();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> new DelegatingStore("null-renewal", DelegatingStore.mute(context)) {
                    @Override
                    public List<RenewOutcome> renew(List<Grant> grants) {
                        renewals.incrementAndGet();
                        return Collections.nCopies(grants.size(), null);
                    }
                })
                .build()) {
            Lease lease = locks.lock("a", OPTIONS.withLeaseTime(Duration.ofSeconds(1)))
                    .acquire();
            await().atMost(LIMIT).until(() -> renewals.get() > 0);
            assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(2));
        }
    }

    /** P16: somebody ahead is served, and the request for those behind is not answered before their time is up. */
    @Test
    void aShortWaitBehindAnotherIsToldWhenThatOneIsServed() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Pausing paused = new Pausing(over, 2);
        try (Holdfast other = Holdfast.connect("memory:slow-line");
                Holdfast locks = paused.connect("slow-line")) {
            Lease held = other.semaphore("s", 1).permits(1).acquire();
            CompletableFuture<Lease> first = locks.semaphore("s", 1).permits(1).acquireAsync();
            // Its direct attempt is refused, and its place in line is under way.
            await().atMost(LIMIT).until(() -> paused.asked.get() == 2);
            held.release();
            CompletableFuture<Optional<Lease>> second =
                    locks.semaphore("s", 1).permits(1).tryAcquireAsync(Duration.ofMillis(1));
            assertThat(first).succeedsWithin(LIMIT);
            assertThat(second).succeedsWithin(LIMIT);
            over.countDown();
        }
    }

    /** P16: the request of one who left is answered, and the next one for those behind is not. */
    @Test
    void aShortWaitBehindOneWhoLeavesHearsWhatThatOneIsTold() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Pausing paused = new Pausing(over, 1);
        try (Holdfast other = Holdfast.connect("memory:slow-leaver");
                Holdfast locks = paused.connect("slow-leaver")) {
            Lease held = other.lock("a").acquire();
            CompletableFuture<Lease> first =
                    locks.lock("a", OPTIONS.withLabel("first")).acquireAsync();
            await().atMost(LIMIT).until(() -> paused.asked.get() == 1);
            CompletableFuture<Optional<Lease>> second = locks.lock("a").tryAcquireAsync(Duration.ofMillis(1));
            first.cancel(true);
            assertThat(second).succeedsWithin(LIMIT);
            over.countDown();
            held.release();
        }
    }

    /** One request is answered after a pause, and later ones when a test is over. */
    private record Pausing(CountDownLatch over, int pauseAt, AtomicInteger asked) {
        Pausing(CountDownLatch over, int pauseAt) {
            this(over, pauseAt, new AtomicInteger());
        }

        Holdfast connect(String name) {
            return Holdfast.builder()
                    .commandTimeout(LIMIT)
                    .store(context -> new DelegatingStore(name, context) {
                        @Override
                        public AcquireOutcome tryAcquire(Claim claim) {
                            int number = asked.incrementAndGet();
                            if (number == pauseAt) {
                                // Many times what a wait of a millisecond lasts.
                                takeMillis(500);
                            } else if (number > pauseAt) {
                                Outcomes.awaitQuietly(over);
                            }
                            return super.tryAcquire(claim);
                        }
                    })
                    .build();
        }
    }

    /** P16: the store answered; what it granted was evicted before the answer came. A single try is told "taken". */
    @Test
    void aShortWaitWhoseGrantWasTakenAwayBeforeItCameIsNotAcquired() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:evicted-wait");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new DelegatingStore("evicted-wait", context) {
                            @Override
                            public AcquireOutcome tryAcquire(Claim claim) {
                                AcquireOutcome granted = super.tryAcquire(claim);
                                other.evict("a", "test");
                                takeMillis(20);
                                return granted;
                            }
                        })
                        .build()) {
            assertThat(locks.lock("a").tryAcquire(Duration.ofMillis(5))).isEmpty();
        }
    }

    /** P14: "nothing was asked" and "the store answered nothing" look the same. */
    @Test
    void anEmptyAnswerForAWaiterWhoLeftIsNoAnswer() throws InterruptedException {
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Holdfast other = Holdfast.connect("memory:null-answer");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new DelegatingStore("null-answer", context) {
                            @Override
                            public @Nullable AcquireOutcome tryAcquire(Claim claim) {
                                AcquireOutcome unused = super.tryAcquire(claim);
                                granted.countDown();
                                Outcomes.awaitQuietly(goOn);
                                return null;
                            }
                        })
                        .build()) {
            CompletableFuture<Lease> wait = locks.semaphore("s", 1).permits(1).acquireAsync();
            granted.await();
            wait.cancel(true);
            goOn.countDown();
            await().atMost(LIMIT)
                    .until(() -> other.inspect("s").stream()
                            .allMatch(seen -> seen.holders().isEmpty()));
        }
    }

    /** P12: one odd answer of a request for many stops the claims behind it for ever. */
    @Test
    void anOddHintForOneClaimStopsNoOther() throws InterruptedException {
        AtomicBoolean odd = new AtomicBoolean(true);
        AtomicInteger polls = new AtomicInteger();
        try (Holdfast other = Holdfast.connect("memory:odd-hint");
                Holdfast locks = Holdfast.builder()
                        .store(context -> new DelegatingStore("odd-hint", DelegatingStore.mute(context)) {
                            @Override
                            public AcquireOutcome tryAcquire(Claim claim) {
                                AcquireOutcome o = super.tryAcquire(claim);
                                return o instanceof AcquireOutcome.Contended
                                        ? new AcquireOutcome.Contended(Duration.ofMillis(5))
                                        : o;
                            }

                            @Override
                            public List<AcquireOutcome> poll(List<Claim> claims) {
                                takeMillis(50);
                                List<AcquireOutcome> all = new ArrayList<>(super.poll(claims));
                                // As a rule several are asked for at once.
                                if ((claims.size() > 1 || polls.incrementAndGet() > 20) && odd.getAndSet(false)) {
                                    all.set(0, new AcquireOutcome.Contended(Duration.ofSeconds(Long.MIN_VALUE)));
                                }
                                return all.stream()
                                        .map(o -> o instanceof AcquireOutcome.Contended c
                                                        && !c.retryHint().isNegative()
                                                ? new AcquireOutcome.Contended(Duration.ofMillis(5))
                                                : o)
                                        .toList();
                            }
                        })
                        .build()) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            for (String name : List.of("a", "b", "c", "d")) {
                held.add(other.lock(name).acquire());
                waits.add(locks.lock(name).acquireAsync());
            }
            await().dontCatchUncaughtExceptions().atMost(LIMIT).until(() -> !odd.get());
            held.forEach(Lease::close);
            assertThat(waits).allSatisfy(wait -> assertThat(wait).succeedsWithin(LIMIT));
        }
    }
}
