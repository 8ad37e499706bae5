package dev.holdfast.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.engine.Outcomes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
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
