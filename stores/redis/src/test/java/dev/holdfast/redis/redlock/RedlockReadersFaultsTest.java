package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.Outcomes;
import dev.holdfast.rig.Rig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Readers and a writer on five real nodes that are killed and come back, with and without their memory. */
final class RedlockReadersFaultsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final String OPTIONS = "fresh=true&nodeTimeout=300ms&maxLease=3s";
    private static final String NAME = "catalog";

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void writerIsNotLetInBesideReadersWhileNodesAreKilledAndComeBackEmpty() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (Holdfast locks = client(nodes);
                Holdfast others = client(nodes)) {
            List<Lease> readers = List.of(read(locks).acquire(), read(others).acquire());
            DistributedLock writer = others.readWriteLock(NAME, options()).writeLock();
            nodes.node(1).kill();
            nodes.node(3).kill();
            staysShut(writer, readers);
            nodes.node(1).server().restartEmpty();
            nodes.node(3).server().restartEmpty();
            staysShut(writer, readers);
            await().atMost(PATIENCE).until(() -> votes(nodes, 1) && votes(nodes, 3));
            staysShut(writer, readers);

            readers.forEach(Lease::close);
            Lease writing = writer.tryAcquire(PATIENCE).orElseThrow();
            assertThat(readers).allMatch(reader -> reader.token() < writing.token());
            assertThat(read(locks).tryAcquire()).isEmpty();
            assertThat(writing.release()).isTrue();
        }
    }

    @Test
    void readersSurviveARestartOfAllNodesThatRemember() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.startDurable(rig, 3);
        try (Holdfast locks = client(nodes);
                Holdfast others = client(nodes)) {
            List<Lease> readers = List.of(read(locks).acquire(), read(others).acquire());
            for (int node = 0; node < nodes.count(); node++) {
                nodes.node(node).kill();
                nodes.node(node).server().restart();
            }
            staysShut(others.readWriteLock(NAME, options()).writeLock(), readers);

            assertThat(locks.inspect(NAME).orElseThrow().holders()).hasSize(2);
            readers.forEach(Lease::close);
        }
    }

    @Test
    void evictedReadersAreAllToldWithTwoNodesKilled() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (Holdfast locks = client(nodes);
                Holdfast others = client(nodes)) {
            List<Lease> readers = List.of(read(locks).acquire(), read(others).acquire());
            List<CompletableFuture<LossReason>> told = readers.stream()
                    .map(reader -> {
                        CompletableFuture<LossReason> one = new CompletableFuture<>();
                        reader.onLost(one::complete);
                        return one;
                    })
                    .toList();
            nodes.node(0).kill();
            nodes.node(2).kill();

            assertThat(others.evict(NAME, "maintenance")).isEqualTo(2);
            for (CompletableFuture<LossReason> one : told) {
                assertThat(Outcomes.of(one)).isEqualTo(LossReason.EVICTED);
            }
            assertThat(readers).noneMatch(Lease::isHeld);
            assertThat(locks.readWriteLock(NAME, options()).writeLock().tryAcquire(PATIENCE))
                    .isPresent();
        }
    }

    /**
     * Asks for longer than a lease lasts that is not renewed. While nodes come back, an answer may be missing; that lets
     * nobody in, but at least once it must be said that the lock is taken.
     */
    private static void staysShut(DistributedLock writer, List<Lease> readers) {
        long begin = System.nanoTime();
        AtomicInteger refusals = new AtomicInteger();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(() -> {
            try {
                assertThat(writer.tryAcquire()).as("the writer").isEmpty();
                refusals.incrementAndGet();
            } catch (StoreUnavailableException cannotTell) {
                assertThat(cannotTell).hasMessageContaining("nodes have to grant it");
            }
            assertThat(readers).as("the readers").allMatch(Lease::isHeld);
            return System.nanoTime() - begin > LEASE.toNanos() && refusals.get() > 0;
        });
    }

    private static Holdfast client(RedlockNodes nodes) {
        return Holdfast.builder().url(nodes.url(OPTIONS)).defaults(options()).build();
    }

    private static DistributedLock read(Holdfast locks) {
        return locks.readWriteLock(NAME, options()).readLock();
    }

    private static boolean votes(RedlockNodes nodes, int node) {
        return nodes.node(node).ask("EXISTS", "holdfast:rl:node").equals(1L);
    }

    private static LockOptions options() {
        return LockOptions.defaults().withLeaseTime(LEASE);
    }
}
