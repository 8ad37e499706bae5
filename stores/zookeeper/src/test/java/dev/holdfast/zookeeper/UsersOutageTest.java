package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An outage that is longer than the session of a Curator client of the user's, which has its own settings. P17, P19. */
@Tag("full")
final class UsersOutageTest {
    private static final int SESSION_MILLIS = 2_000;
    private static final int THREADS = 4;
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);
    private static final Duration BUDGET = COMMAND_TIMEOUT.plusMillis(375);
    private static final Duration RECOVERY = Duration.ofSeconds(5).plusMillis(SESSION_MILLIS);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = ZooKeeperNode.start(rig);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void callsEndInTimeAndTheClientWorksAgainAfterwards(Mode mode) throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong longestNanos = new AtomicLong();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        List<Thread> threads = new ArrayList<>();
        try (CuratorFramework curator = CuratorFrameworkFactory.newClient(
                "127.0.0.1:" + network.port(), SESSION_MILLIS, SESSION_MILLIS, new RetryOneTime(100))) {
            curator.start();
            curator.getConnectionStateListenable().addListener((client, state) -> {
                if (state == ConnectionState.LOST) {
                    ended.complete(null);
                }
            });
            try (Holdfast client = Holdfast.builder()
                    .store(ZooKeeperLocks.on(curator)
                            .withBase("/long-" + mode.word())
                            .withMode(mode))
                    .commandTimeout(COMMAND_TIMEOUT)
                    .build()) {
                client.lock("warm").acquire().close();
                network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
                for (int i = 0; i < THREADS; i++) {
                    String name = "in-outage-" + i;
                    threads.add(new Thread(() -> {
                        while (!stop.get()) {
                            longestNanos.accumulateAndGet(tryOnce(client, name), Math::max);
                        }
                    }));
                }
                threads.forEach(Thread::start);
                // Curator gives the session up, and then a new connection that is not accepted either.
                Tree.await().until(ended::isDone);
                long lostNanos = System.nanoTime();
                Tree.await()
                        .until(() -> System.nanoTime() - lostNanos
                                > Duration.ofMillis(2L * SESSION_MILLIS).toNanos());
                stop.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
                assertThat(Duration.ofNanos(longestNanos.get())).isLessThan(BUDGET);
                network.heal();
                long healedNanos = System.nanoTime();

                Tree.await()
                        .ignoreExceptionsInstanceOf(HoldfastException.class)
                        .until(() -> client.lock("warm")
                                .tryAcquire()
                                .map(Lease::release)
                                .orElse(false));
                assertThat(Duration.ofNanos(System.nanoTime() - healedNanos)).isLessThan(RECOVERY);
            }
        } finally {
            stop.set(true);
        }
    }

    private static long tryOnce(Holdfast client, String name) {
        long begin = System.nanoTime();
        try {
            client.lock(name).tryAcquire().ifPresent(Lease::release);
        } catch (HoldfastException expected) {
            assertThat(expected).isNotNull();
        }
        return System.nanoTime() - begin;
    }
}
