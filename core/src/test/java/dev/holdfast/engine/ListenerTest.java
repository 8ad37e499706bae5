package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.ClientStatistics;
import dev.holdfast.ClientStatistics.Operation;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What listeners are told beyond single events: numbers, and how one attempt ends. */
class ListenerTest {
    private static final Duration SHORT = Duration.ofMillis(60);
    private static final Duration BRIEF_LEASE = Duration.ofSeconds(1);

    private final Recorder recorder = new Recorder();

    /** Remembers everything. */
    private static class Recorder implements HoldfastListener {
        final List<HoldfastEvent> events = new CopyOnWriteArrayList<>();
        final AtomicReference<@Nullable ClientStatistics> statistics = new AtomicReference<>();

        @Override
        public void on(HoldfastEvent event) {
            events.add(event);
        }

        @Override
        public void opened(ClientStatistics opened) {
            statistics.set(opened);
        }

        ClientStatistics numbers() {
            return Objects.requireNonNull(statistics.get(), "no client was opened");
        }

        <E extends HoldfastEvent> List<E> of(Class<E> kind) {
            return events.stream().filter(kind::isInstance).map(kind::cast).toList();
        }
    }

    private Holdfast open(HoldfastListener listener) {
        return Holdfast.builder().url("memory:").listener(listener).build();
    }

    @Test
    void countsWhatIsHeldAndWhoWaits() throws InterruptedException {
        try (Holdfast locks = open(recorder)) {
            Lease first = locks.lock("a").acquire();
            CompletableFuture<Lease> second = locks.lock("a").acquireAsync();
            await().until(() -> recorder.numbers().waiting() == 1);
            assertThat(recorder.numbers().held()).isEqualTo(1);

            first.close();
            second.join().close();

            assertThat(recorder.numbers().held()).isZero();
            assertThat(recorder.numbers().waiting()).isZero();
            assertThat(recorder.numbers().localHandOffs()).isEqualTo(1);
            assertThat(recorder.numbers().answered(Operation.ACQUIRE).count()).isEqualTo(1);
            assertThat(recorder.numbers().answered(Operation.RELEASE).count()).isEqualTo(1);
            assertThat(recorder.numbers().answered(Operation.ACQUIRE).time()).isPositive();
        }
        assertThat(recorder.numbers().isClosed()).isTrue();
    }

    @Test
    void whatIsLostIsNotHeld() throws InterruptedException {
        try (Holdfast locks = open(recorder)) {
            Lease lease = locks.lock("a").acquire();
            locks.evict("a", "a test");
            assertThat(lease.isHeld()).isFalse();
            assertThat(recorder.numbers().held()).isZero();
            lease.release();
            assertThat(recorder.numbers().held()).isZero();
        }
    }

    @Test
    void countsGrantsThatTheStoreMadeItWaitFor() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:handed-over");
                Holdfast locks = Holdfast.builder()
                        .url("memory:handed-over")
                        .listener(recorder)
                        .build()) {
            Lease theirs = other.lock("a").acquire();
            CompletableFuture<Lease> ours = locks.lock("a").acquireAsync();
            await().until(() -> other.inspect("a").orElseThrow().waiters().size() == 1);
            theirs.close();
            ours.join().close();
            locks.lock("b").acquire().close();
            assertThat(recorder.numbers().remoteHandOffs()).isEqualTo(1);
        }
    }

    @Test
    void numbersStayRightWhenEventsAreDropped() throws InterruptedException {
        CountDownLatch stuck = new CountDownLatch(1);
        HoldfastListener slow = event -> {
            try {
                stuck.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (Holdfast locks = open(HoldfastListener.all(slow, recorder))) {
            Lease kept = locks.lock("kept").acquire();
            for (int i = 0; i < 51_000; i++) {
                locks.lock("a").acquire().close();
            }
            assertThat(recorder.numbers().droppedEvents()).isPositive();
            assertThat(recorder.numbers().held()).isEqualTo(1);
            assertThat(recorder.numbers().waiting()).isZero();
            kept.close();
            assertThat(recorder.numbers().held()).isZero();
            stuck.countDown();
        }
    }

    @Test
    void renewalsAreTold() throws InterruptedException {
        LockOptions brief = LockOptions.defaults().withLeaseTime(BRIEF_LEASE);
        try (Holdfast locks = open(recorder);
                Lease lease = locks.lock("a", brief).acquire()) {
            await().until(() -> !recorder.of(HoldfastEvent.Renewed.class).isEmpty());
            HoldfastEvent.Renewed renewed =
                    recorder.of(HoldfastEvent.Renewed.class).get(0);
            assertThat(renewed.token()).isEqualTo(lease.token());
            assertThat(renewed.lag()).isLessThan(BRIEF_LEASE);
        }
    }

    @Test
    void renewalLagGrowsWhileTheStoreIsSilentAndUnansweredCallsCount() throws InterruptedException {
        AtomicReference<@Nullable SilentStore> store = new AtomicReference<>();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> {
                    SilentStore opened = new SilentStore("renewal-lag", context);
                    store.set(opened);
                    return opened;
                })
                .commandTimeout(SHORT)
                .listener(recorder)
                .build()) {
            SilentStore silent = Objects.requireNonNull(store.get());
            Lease lease = locks.lock("a", LockOptions.defaults().withLeaseTime(Duration.ofSeconds(3)))
                    .acquire();
            assertThat(recorder.numbers().renewalLag()).isZero();
            silent.silence(name -> true);
            await().until(() -> recorder.numbers().renewalLag().compareTo(SHORT) > 0);
            assertThat(lease.isHeld()).isTrue();
            await().until(() -> recorder.numbers().unanswered(Operation.RENEW).count() > 0);
            silent.heal();
            await().until(() -> recorder.numbers().renewalLag().isZero());
            lease.close();
        }
    }

    @Test
    void attemptsThatEndWithoutALeaseAreTold() throws InterruptedException {
        AtomicReference<@Nullable SilentStore> store = new AtomicReference<>();
        try (Holdfast locks = Holdfast.builder()
                .store(context -> {
                    SilentStore opened = new SilentStore("without-lease", context);
                    store.set(opened);
                    return opened;
                })
                .commandTimeout(SHORT)
                .listener(recorder)
                .build()) {
            SilentStore silent = Objects.requireNonNull(store.get());
            Lease held = locks.lock("a").acquire();
            locks.lock("a").acquireAsync().cancel(true);
            assertThat(locks.lock("a").tryAcquire()).isEmpty();
            silent.silence(name -> name.equals("b"));
            assertThatThrownBy(() -> locks.lock("b").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
            await().untilAsserted(() -> {
                assertThat(recorder.of(HoldfastEvent.Abandoned.class)).hasSize(1);
                assertThat(recorder.of(HoldfastEvent.NotAcquired.class)).hasSize(1);
                assertThat(recorder.of(HoldfastEvent.Failed.class))
                        .singleElement()
                        .satisfies(failed -> assertThat(failed.cause()).isInstanceOf(StoreUnavailableException.class));
            });
            assertThat(recorder.numbers().waiting()).isZero();
            silent.heal();
            held.close();
        }
    }

    @Test
    void anAttemptIsFollowedFromTheThreadThatAsksToTheEndOfItsLease() throws InterruptedException {
        List<HoldfastEvent> followed = new CopyOnWriteArrayList<>();
        AtomicReference<@Nullable Thread> asked = new AtomicReference<>();
        HoldfastListener tracer = new HoldfastListener() {
            @Override
            public void on(HoldfastEvent event) {}

            @Override
            public @Nullable HoldfastListener attempt(String lockName) {
                asked.set(Thread.currentThread());
                return lockName.equals("a") ? followed::add : null;
            }
        };
        HoldfastListener broken = new HoldfastListener() {
            @Override
            public void on(HoldfastEvent event) {
                throw new IllegalStateException("broken on purpose");
            }
        };
        try (Holdfast locks = open(HoldfastListener.all(broken, tracer, recorder))) {
            Lease lease = locks.lock("a").acquire();
            assertThat(asked).hasValue(Thread.currentThread());
            locks.lock("b").acquire().close();
            lease.close();
            await().until(() -> followed.size() == 2);
            assertThat(followed.get(0))
                    .isInstanceOfSatisfying(
                            HoldfastEvent.Acquired.class,
                            event -> assertThat(event.token()).isEqualTo(lease.token()));
            assertThat(followed.get(1)).isInstanceOf(HoldfastEvent.Released.class);
            await().until(() -> recorder.events.size() == 4);
        }
    }

    /** Lets its events wait for longer than any test lasts. */
    private static final class Patient extends Recorder {
        boolean follows;

        @Override
        public Duration longestDelay() {
            return Duration.ofHours(1);
        }

        @Override
        public @Nullable HoldfastListener attempt(String lockName) {
            return follows ? events::add : null;
        }
    }

    @Test
    void eventsThatMayWaitAreToldAtTheLatestWhenTheClientCloses() throws InterruptedException {
        Patient patient = new Patient();
        try (Holdfast locks = open(HoldfastListener.all(patient))) {
            locks.lock("a").acquire().close();
            Lease unused = locks.lock("b").acquire();
            assertThat(patient.events).isEmpty();
        }
        await().until(() -> patient.events.size() == 4);
        assertThat(patient.of(HoldfastEvent.Lost.class)).hasSize(1);
    }

    @Test
    void aLossByClosingIsToldAlthoughEventsMayWait() throws InterruptedException {
        Patient patient = new Patient();
        try (Holdfast locks = open(patient)) {
            Lease unused = locks.lock("kept").acquire();
            patient.follows = true;
            locks.lock("followed").acquire().close();
            await().until(() -> patient.events.size() == 5);
        }
        await().until(() -> patient.of(HoldfastEvent.Lost.class).size() == 1);
    }

    @Test
    void aFollowedAttemptDoesNotWait() throws InterruptedException {
        Patient patient = new Patient();
        try (Holdfast locks = open(patient)) {
            locks.lock("a").acquire().close();
            patient.follows = true;
            locks.lock("b").acquire().close();
            // Those of the first lock come along, in order; those of the second are told twice.
            await().until(() -> patient.events.size() == 6);
            assertThat(patient.events.get(0).lockName()).isEqualTo("a");
        }
    }

    @Test
    void oneListenerOfAGroupThatCannotWaitIsEnough() throws InterruptedException {
        try (Holdfast locks = open(HoldfastListener.all(new Patient(), recorder))) {
            locks.lock("a").acquire().close();
            await().until(() -> recorder.events.size() == 2);
        }
    }

    /** The listener fails on the report of an exception that cannot even be described. */
    @Test
    void anEventThatFailsToDescribeItselfDoesNotStopLaterOnes() throws InterruptedException {
        HoldfastListener fails = event -> {
            recorder.on(event);
            if (event instanceof HoldfastEvent.CallbackFailed) {
                throw new IllegalStateException("always");
            }
        };
        try (Holdfast locks = open(fails)) {
            Lease lease =
                    locks.lock("a", LockOptions.defaults().withMaxHold(SHORT)).acquire();
            lease.onLost(reason -> {
                throw new Indescribable();
            });
            await().until(() -> !recorder.of(HoldfastEvent.CallbackFailed.class).isEmpty());
            locks.lock("b").acquire().close();
            await().until(() -> !recorder.of(HoldfastEvent.Released.class).isEmpty());
        }
    }

    private static final class Indescribable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no words");
        }
    }
}
