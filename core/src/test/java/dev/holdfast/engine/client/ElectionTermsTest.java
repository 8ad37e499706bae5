package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.DelegatingStore;
import dev.holdfast.engine.Engine;
import dev.holdfast.engine.Outcomes;
import dev.holdfast.engine.Terms;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreContext;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A term begins with a callback that knows of it, whatever became of the callback of the term before. */
@Timeout(60)
class ElectionTermsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Many times what it takes to be elected again. */
    private static final Duration LONG_ENOUGH = Duration.ofMillis(500);

    private static final Duration RECOVERY = Duration.ofSeconds(5);

    @Test
    void aLeaderWhoseCallbackHangsDoesNotRegainOffice() {
        List<Lease> terms = new CopyOnWriteArrayList<>();
        CountDownLatch goOn = new CountDownLatch(1);
        try (Holdfast locks = Holdfast.connect("memory:");
                Election election = locks.election("office")) {
            election.campaign(
                    lease -> {
                        terms.add(lease);
                        Outcomes.awaitQuietly(goOn);
                    },
                    reason -> {});
            await().atMost(LIMIT).until(() -> terms.size() == 1);
            assertThat(locks.evict("office", "test")).isEqualTo(1);
            await().atMost(LIMIT).until(() -> !terms.get(0).isHeld());
            await().during(LONG_ENOUGH)
                    .atMost(LIMIT)
                    .failFast("in office again while the last onElected still runs", election::isLeader)
                    .until(() -> !election.isLeader());
            goOn.countDown();
            await().atMost(LIMIT).until(() -> terms.size() == 2 && election.isLeader());
        } finally {
            goOn.countDown();
        }
    }

    /** The thread that tells the loss is so slow that the next term has begun before it interrupts. */
    @Test
    void anInterruptForALostTermDoesNotReachTheNextOne() {
        CountDownLatch aboutToInterrupt = new CountDownLatch(1);
        CountDownLatch interrupts = new CountDownLatch(1);
        CountDownLatch stepDown = new CountDownLatch(1);
        List<Lease> terms = new CopyOnWriteArrayList<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicReference<LockStore> store = new AtomicReference<>();
        LockOptions options = LockOptions.defaults().withInterruptOnLoss(true);
        try (ClientThreads threads = new ClientThreads("holdfast-terms", LIMIT, true, store::get, null)) {
            Engine engine = Engine.open(
                    "terms",
                    threads.surroundings(),
                    listener -> {
                        store.set(new DelegatingStore(
                                "terms",
                                new StoreContext(
                                        "terms",
                                        threads.clock(),
                                        threads.storeScheduler(),
                                        threads.storeExecutor(),
                                        LIMIT,
                                        new Random(1),
                                        listener)));
                        return store.get();
                    },
                    null);
            EngineLock lock = new EngineLock(
                    engine,
                    Terms.exclusive(List.of("office"), options, new Claim.HolderInfo("terms", "")),
                    new ThreadHolds());
            DistributedLock paused = (DistributedLock) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {DistributedLock.class}, (proxy, method, args) -> {
                        if (method.getName().equals("options")) {
                            aboutToInterrupt.countDown();
                            Outcomes.awaitQuietly(interrupts);
                            return options;
                        }
                        return method.invoke(lock, args);
                    });
            try (LockElection election = new LockElection(
                    engine, paused, lock::acquireForClient, Thread::new, Optional::empty, closed -> {})) {
                election.campaign(
                        lease -> {
                            terms.add(lease);
                            try {
                                (terms.size() == 1 ? aboutToInterrupt : stepDown).await();
                            } catch (InterruptedException lost) {
                                interrupted.set(true);
                            }
                        },
                        reason -> {});
                await().atMost(LIMIT).until(() -> terms.size() == 1);
                assertThat(engine.store().evict("office", OptionalLong.empty(), "test", "test"))
                        .isEqualTo(1);
                await().atMost(LIMIT).until(() -> terms.size() == 2);
                interrupts.countDown();
                await().during(LONG_ENOUGH)
                        .atMost(LIMIT)
                        .failFast("the leader was interrupted", interrupted::get)
                        .until(() -> !interrupted.get());
                assertThat(election.isLeader()).isTrue();
                stepDown.countDown();
            } finally {
                interrupts.countDown();
                stepDown.countDown();
                engine.close();
            }
        }
    }

    /** The callback thread is one on which no other thread can be made, once. */
    @Test
    void aThreadThatCannotBeStartedDoesNotSilenceTheElectionForEver() {
        AtomicBoolean outOfThreads = new AtomicBoolean(true);
        ExecutorService callbacks = Executors.newSingleThreadExecutor(task -> new Barren(task, outOfThreads));
        List<Lease> elected = new CopyOnWriteArrayList<>();
        try (Holdfast locks = Holdfast.builder()
                        .url("memory:")
                        .callbackExecutor(callbacks)
                        .build();
                Election election = locks.election("office")) {
            election.campaign(elected::add, reason -> {});
            await().atMost(RECOVERY)
                    .untilAsserted(() -> assertThat(elected)
                            .as("calls of onElected; is in office: %s", election.isLeader())
                            .isNotEmpty());
            await().atMost(RECOVERY).until(election::isLeader);
        } finally {
            callbacks.shutdownNow();
        }
    }

    /** Making a thread asks the thread that makes it for its class loader. */
    private static final class Barren extends Thread {
        private final AtomicBoolean outOfThreads;

        Barren(Runnable task, AtomicBoolean outOfThreads) {
            super(task, "barren");
            this.outOfThreads = outOfThreads;
            setDaemon(true);
        }

        @Override
        public ClassLoader getContextClassLoader() {
            boolean makesThread = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getClassName().equals("java.lang.Thread")
                                    && frame.getMethodName().equals("<init>")));
            if (makesThread && outOfThreads.getAndSet(false)) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return super.getContextClassLoader();
        }
    }
}
