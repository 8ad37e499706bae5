package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store tells the engine of grants and losses on a thread of its own, such as the one that reads its connection. User
 * code must never run there, not even if the callback executor runs everything on the calling thread: a release there
 * would wait for an answer that only this thread can read.
 */
@Timeout(60)
class StoreThreadsTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String STORES_THREAD = "the store's own thread";

    private final ExecutorService storesThread = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, STORES_THREAD);
        thread.setDaemon(true);
        return thread;
    });
    private final Set<String> userCodeRanOn = ConcurrentHashMap.newKeySet();

    @AfterEach
    void endStoresThread() {
        storesThread.shutdownNow();
    }

    @Test
    void aFutureIsNotCompletedOnTheThreadThatBringsTheGrant() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:threads-granted");
                Holdfast locks = client("threads-granted", false)) {
            Lease held = other.lock("a").acquire();
            CompletableFuture<Void> used = locks.lock("a").acquireAsync().thenAccept(lease -> {
                noteThread();
                lease.close();
            });
            await().atMost(LIMIT)
                    .until(() -> !other.inspect("a").orElseThrow().waiters().isEmpty());
            held.close();
            assertThat(used).succeedsWithin(LIMIT);
            assertThat(userCodeRanOn).isNotEmpty().doesNotContain(STORES_THREAD);
        }
    }

    @Test
    void aLossIsNotToldOnTheThreadThatBringsIt() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:threads-lost");
                Holdfast locks = client("threads-lost", false)) {
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            Lease lease = locks.lock("a").acquire();
            lease.onLost(reason -> {
                noteThread();
                told.complete(reason);
            });
            other.evict("a", "test");
            assertThat(told).succeedsWithin(LIMIT).isEqualTo(LossReason.EVICTED);
            assertThat(lease.isHeld()).isFalse();
            assertThat(userCodeRanOn).isNotEmpty().doesNotContain(STORES_THREAD);
        }
    }

    @Test
    void aListenerIsNotToldOnTheThreadThatBringsTheNews() throws InterruptedException {
        try (Holdfast other = Holdfast.connect("memory:threads-events");
                Holdfast locks = client("threads-events", true)) {
            Lease held = other.lock("a").acquire();
            CompletableFuture<Lease> next = locks.lock("a").acquireAsync();
            await().atMost(LIMIT)
                    .until(() -> !other.inspect("a").orElseThrow().waiters().isEmpty());
            held.close();
            assertThat(next).succeedsWithin(LIMIT);
            other.evict("a", "test");
            await().atMost(LIMIT).until(() -> !next.join().isHeld());
            await().atMost(LIMIT).until(() -> !userCodeRanOn.isEmpty());
            assertThat(userCodeRanOn).doesNotContain(STORES_THREAD);
        }
    }

    private void noteThread() {
        userCodeRanOn.add(Thread.currentThread().getName());
    }

    private Holdfast client(String memory, boolean listens) {
        return Holdfast.builder()
                .store(context -> new DelegatingStore(memory, heardOnStoresThread(context)))
                .callbackExecutor(Runnable::run)
                .listener(event -> {
                    if (listens) {
                        noteThread();
                    }
                })
                .build();
    }

    private StoreContext heardOnStoresThread(StoreContext context) {
        return new StoreContext(
                context.clientName(),
                context.clock(),
                context.scheduler(),
                context.ioExecutor(),
                context.commandTimeout(),
                context.random(),
                new Relay(context.listener()));
    }

    /** Passes every message on from the store's own thread. */
    private final class Relay implements StoreListener {
        private final StoreListener engine;

        Relay(StoreListener engine) {
            this.engine = engine;
        }

        @Override
        public void retry(String name, OwnerId owner) {
            storesThread.execute(() -> engine.retry(name, owner));
        }

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {
            storesThread.execute(() -> engine.granted(grants, anchorNanos));
        }

        @Override
        public void wanted(String name, long epoch) {
            storesThread.execute(() -> engine.wanted(name, epoch));
        }

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
            storesThread.execute(() -> engine.lost(name, owner, epoch, reason));
        }

        @Override
        public void sessionLost(String session) {
            storesThread.execute(() -> engine.sessionLost(session));
        }
    }
}
