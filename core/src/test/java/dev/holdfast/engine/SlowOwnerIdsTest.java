package dev.holdfast.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.engine.client.Client;
import dev.holdfast.engine.client.ClientThreads;
import dev.holdfast.engine.client.OwnerMint;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A system that is short of random bits delays the claim that needs them, and no loss (P10). */
@Timeout(60)
class SlowOwnerIdsTest {
    private static final LockOptions SHORT = LockOptions.defaults().withMaxHold(Duration.ofMillis(200));
    private static final LockOptions LONGER = LockOptions.defaults().withMaxHold(Duration.ofMillis(600));

    private final CountDownLatch bits = new CountDownLatch(1);
    private volatile boolean isShort;

    @Test
    void aLossIsToldAlthoughTheNextClaimOfAnotherNameHasNoOwnerIdYet() throws InterruptedException {
        withSlowOwnerIds(locks -> {
            Lease first = locks.lock("a", SHORT).acquire();
            CompletableFuture<Lease> next = locks.lock("a").acquireAsync();
            Lease other = locks.lock("b", LONGER).acquire();
            isShort = true;
            assertThatLossesAreTold(first, other);
            bits.countDown();
            next.join().close();
        });
    }

    /** The alarm of a lock that was held rings once more, while somebody takes it again. */
    @Test
    void aLossIsToldAlthoughSomebodyWhoTakesALockThatIsFreeHasNoOwnerIdYet() throws InterruptedException {
        withSlowOwnerIds(locks -> {
            locks.lock("a", SHORT).acquire().close();
            Lease other = locks.lock("b", LONGER).acquire();
            isShort = true;
            CompletableFuture<Lease> next = CompletableFuture.supplyAsync(
                    () -> locks.lock("a").tryAcquire().orElseThrow(), task -> {
                        Thread taker = new Thread(task);
                        taker.setDaemon(true);
                        taker.start();
                    });
            assertThatLossesAreTold(other);
            assertThat(next).isNotDone();
            bits.countDown();
            next.join().close();
        });
    }

    private static void assertThatLossesAreTold(Lease... leases) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(leases.length);
        for (Lease lease : leases) {
            lease.onLost(reason -> told.countDown());
        }
        assertThat(told.await(20, TimeUnit.SECONDS)).as("all losses are told").isTrue();
    }

    /** What is done with a client. */
    private interface Work {
        void with(Client locks) throws InterruptedException;
    }

    private void withSlowOwnerIds(Work work) throws InterruptedException {
        AtomicReference<@Nullable LockStore> opened = new AtomicReference<>();
        ClientThreads threads =
                new ClientThreads("holdfast-slow-ids", Duration.ofSeconds(2), true, () -> store(opened), null);
        Surroundings real = threads.surroundings();
        try (Client locks = Client.open(
                "slow-ids",
                slow(real),
                listener -> {
                    LockStore store = new DelegatingStore(
                            "slow-ids",
                            new StoreContext(
                                    "slow-ids",
                                    real.clock(),
                                    threads.storeScheduler(),
                                    threads.storeExecutor(),
                                    Duration.ofSeconds(2),
                                    new Random(1),
                                    listener));
                    opened.set(store);
                    return store;
                },
                LockOptions.defaults(),
                null,
                threads::close)) {
            try {
                work.with(locks);
            } finally {
                bits.countDown();
            }
        }
    }

    private static LockStore store(AtomicReference<@Nullable LockStore> opened) {
        LockStore store = opened.get();
        if (store == null) {
            throw new IllegalStateException("not open yet");
        }
        return store;
    }

    private Surroundings slow(Surroundings real) {
        Supplier<OwnerId> mint = new OwnerMint();
        return new Surroundings(
                real.clock(),
                real.timeline(),
                real.calls(),
                real.callbacks(),
                real.lossCallbacks(),
                real.signals(),
                real.random(),
                () -> {
                    if (isShort) {
                        awaitBits();
                    }
                    return mint.get();
                },
                real.commandTimeout(),
                real.staysAwake());
    }

    private void awaitBits() {
        try {
            bits.await();
        } catch (InterruptedException ended) {
            throw new IllegalStateException(ended);
        }
    }
}
