package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Code of the program that tells how to connect, and hangs whatever happens. P17. */
@Timeout(60)
final class HangingProgramTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** A call that takes this long has taken a second timeout. */
    private static final Duration TOO_LONG = TIMEOUT.multipliedBy(2);

    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));
    private static final int CALLS = 40;
    private static final int MOST_THREADS = 16;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static List<RedisNode> nodes;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean hangs;

    @BeforeAll
    static void start() throws InterruptedException {
        nodes = RedisNode.startSeveral(rig, 3, RedisSettings.defaults());
    }

    @AfterEach
    void goOn() {
        hangs = false;
        threads.shutdownNow();
    }

    @Test
    void supplierOfCredentialsThatHangsHoldsNobodyUp() throws InterruptedException {
        nobodyIsHeldUp(RedisStores.at(oneServer()).withCredentials(() -> answered(Credentials.of("default", "any"))));
    }

    @Test
    void supplierOfCredentialsThatHangsHoldsNobodyUpAtAQuorum() throws InterruptedException {
        nobodyIsHeldUp(RedisStores.at(quorum()).withCredentials(() -> answered(Credentials.of("default", "any"))));
    }

    @Test
    void mappingThatHangsHoldsNobodyUp() throws InterruptedException {
        nobodyIsHeldUp(RedisStores.at(oneServer()).withAddresses(this::answered));
    }

    @Test
    void mappingThatHangsHoldsNobodyUpAtAQuorum() throws InterruptedException {
        nobodyIsHeldUp(RedisStores.at(quorum()).withAddresses(this::answered));
    }

    private void nobodyIsHeldUp(RedisConnections connections) throws InterruptedException {
        // What is held when the program hangs once more is left to its lease.
        nodes.forEach(node -> node.ask("FLUSHALL"));
        Holdfast locks =
                Holdfast.builder().store(connections).commandTimeout(TIMEOUT).build();
        try {
            Lease held = locks.lock("held", BRIEF).tryAcquire().orElseThrow();
            CompletableFuture<Duration> lateness = new CompletableFuture<>();
            hangs = true;
            Duration left = held.remaining();
            long deadline = System.nanoTime() + left.toNanos();
            held.onLost(reason -> {
                assertThat(reason).isEqualTo(LossReason.EXPIRED);
                lateness.complete(Duration.ofNanos(System.nanoTime() - deadline));
            });
            disconnect();

            List<CompletableFuture<Duration>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                String name = "other" + i;
                calls.add(CompletableFuture.supplyAsync(() -> timeOfFailure(locks, name), threads));
            }
            assertThat(Outcomes.of(lateness)).as("after the deadline").isLessThan(TIMEOUT);
            for (CompletableFuture<Duration> call : calls) {
                assertThat(Outcomes.of(call)).isLessThan(TOO_LONG);
            }
            assertThat(timeOfFailure(locks, "late")).isLessThan(TOO_LONG);
            assertThat(threadsThatAsk()).isLessThanOrEqualTo(MOST_THREADS);

            hangs = false;
            await().ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> locks.lock("again " + System.nanoTime())
                            .tryAcquire()
                            .isPresent());
            hangs = true;
            disconnect();
        } finally {
            long begin = System.nanoTime();
            locks.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("closing")
                    .isLessThan(TOO_LONG);
        }
    }

    private static Duration timeOfFailure(Holdfast locks, String name) {
        long begin = System.nanoTime();
        assertThatThrownBy(() -> locks.lock(name).tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** Code that hears no interrupts. */
    private <T> T answered(T answer) {
        boolean interrupted = false;
        while (hangs) {
            LockSupport.parkNanos(this, Duration.ofMillis(5).toNanos());
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return answer;
    }

    private static long threadsThatAsk() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("holdfast-asks-program"))
                .count();
    }

    private static void disconnect() {
        for (RedisNode node : nodes) {
            node.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            node.ask("CLIENT", "KILL", "TYPE", "pubsub");
        }
    }

    private static String oneServer() {
        return "redis://127.0.0.1:" + nodes.get(0).port();
    }

    private static String quorum() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redlock://", "#prefix=holdfast:q&fresh=true&nodeTimeout=300ms"));
    }
}
