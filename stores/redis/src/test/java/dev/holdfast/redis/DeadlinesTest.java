package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A call has one deadline, whatever it has to do first, and it is over soon after that (P17). */
final class DeadlinesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** One command timeout, and something for a busy machine, but clearly less than two. */
    private static final Duration BUDGET = Duration.ofMillis(3_500);

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    @Timeout(20)
    void loginThatTricklesIsEnded() throws IOException {
        try (Trickler server = new Trickler();
                Holdfast locks = client("redis://:secret@127.0.0.1:" + server.port(), TIMEOUT)) {
            assertThat(timeOf(() -> locks.lock("name").tryAcquire())).isLessThan(BUDGET);
            assertThat(timeOf(locks::ping)).isLessThan(BUDGET);
        }
    }

    @Test
    @Timeout(20)
    void handshakeThatTricklesIsEnded() throws IOException {
        try (Trickler server = new Trickler();
                Holdfast locks = client("rediss://127.0.0.1:" + server.port(), TIMEOUT)) {
            assertThat(timeOf(() -> locks.lock("name").tryAcquire())).isLessThan(BUDGET);
        }
    }

    @Test
    @Timeout(20)
    void sentinelsThatTrickleKeepNoThread() throws IOException {
        try (Trickler one = new Trickler();
                Trickler other = new Trickler()) {
            String url = "redis+sentinel://127.0.0.1:" + one.port() + ",127.0.0.1:" + other.port() + "/master";
            try (Holdfast locks = client(url, TIMEOUT)) {
                for (int i = 0; i < 3; i++) {
                    assertThat(timeOf(() -> locks.lock("name").tryAcquire())).isLessThan(BUDGET);
                }
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> one.open() + other.open() == 0);
        }
    }

    /** What was granted without the replicas is given back, in what is left of the time. */
    @Test
    void grantThatIsGivenBackBecauseOfReplicasHasNoTimeoutOfItsOwn() throws InterruptedException {
        RedisNode node = RedisNode.start(rig);
        FaultProxy network = FaultProxy.before(rig, node.port());
        // A server that does not know the scripts yet would be asked twice.
        try (Holdfast first = client(node.url(), TIMEOUT)) {
            first.lock("first").tryAcquire().orElseThrow().release();
        }
        String url = "redis://127.0.0.1:" + network.port() + "#replicas=1&replicasTimeout=1500ms";
        try (Holdfast locks = client(url, TIMEOUT)) {
            locks.ping();
            String withdrawal = new String(Script.WITHDRAW.digest(), StandardCharsets.ISO_8859_1);
            network.hold(Direction.TO_SERVER, Integer.MAX_VALUE, request -> request.contains(withdrawal));
            long begin = System.nanoTime();
            assertThatThrownBy(() -> locks.lock("name").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("0 of the 1 replicas");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BUDGET);
            network.heal();
        }
    }

    /** Nothing is held, so there is nothing to wait for; least of all a subscription that will not be needed. */
    @Test
    void closingDoesNotWaitForAConnectionThatNobodyAnswers() throws InterruptedException {
        Duration timeout = Duration.ofSeconds(3);
        RedisNode node = RedisNode.start(rig);
        FaultProxy network = FaultProxy.before(rig, node.port());
        Holdfast locks = client("redis://127.0.0.1:" + network.port(), timeout);
        locks.ping();
        network.blackHole(Direction.TO_CLIENT);
        long before = network.accepted();
        network.cut();
        await().until(() -> network.accepted() > before);
        long begin = System.nanoTime();
        locks.close();
        Duration time = Duration.ofNanos(System.nanoTime() - begin);
        network.heal();
        assertThat(time).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void closingDoesNotWaitForSubscriptionsAtNodesThatDoNotAnswer() throws InterruptedException {
        Duration timeout = Duration.ofSeconds(3);
        List<FaultProxy> networks = new ArrayList<>();
        for (RedisNode node : RedisNode.startSeveral(rig, 3, RedisSettings.defaults())) {
            networks.add(FaultProxy.before(rig, node.port()));
        }
        String hosts =
                networks.stream().map(network -> "127.0.0.1:" + network.port()).collect(Collectors.joining(","));
        Holdfast holder = client("redlock://" + hosts + "#fresh=true", timeout);
        Holdfast locks = client("redlock://" + hosts + "#fresh=true", timeout);
        Lease held = holder.lock("taken").acquire();
        assertThat(locks.lock("taken").tryAcquire(Duration.ofMillis(300))).isEmpty();
        held.close();
        holder.close();
        long before = networks.stream().mapToLong(FaultProxy::accepted).sum();
        networks.forEach(network -> network.blackHole(Direction.TO_CLIENT));
        networks.forEach(FaultProxy::cut);
        await().until(() -> networks.stream().mapToLong(FaultProxy::accepted).sum() >= before + 3);
        long begin = System.nanoTime();
        locks.close();
        Duration time = Duration.ofNanos(System.nanoTime() - begin);
        networks.forEach(FaultProxy::heal);
        assertThat(time).isLessThan(Duration.ofMillis(1500));
    }

    /** However long the timeout is, what is added to it is not a part of it. */
    @Test
    void silenceIsNoticedSoonAlsoWithALongTimeout() throws InterruptedException {
        Duration timeout = Duration.ofSeconds(6);
        RedisNode node = RedisNode.start(rig);
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast locks = client("redis://127.0.0.1:" + network.port() + "#maxConnections=4", timeout)) {
            locks.ping();
            network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            List<CompletableFuture<Duration>> calls = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                String name = "name/" + i;
                calls.add(CompletableFuture.supplyAsync(
                        () -> timeOf(() -> locks.lock(name).tryAcquire()), task -> new Thread(task).start()));
                awaitNanos(35_000_000);
            }
            Duration longest = Duration.ZERO;
            for (CompletableFuture<Duration> call : calls) {
                Duration time = Outcomes.of(call);
                longest = time.compareTo(longest) > 0 ? time : longest;
            }
            network.heal();
            assertThat(longest).isLessThan(timeout.plusMillis(250));
        }
    }

    private static void awaitNanos(long nanos) {
        long until = System.nanoTime() + nanos;
        await().pollInterval(Duration.ofMillis(1)).until(() -> System.nanoTime() - until > 0);
    }

    private static Duration timeOf(Runnable call) {
        long begin = System.nanoTime();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnavailableException.class);
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static Holdfast client(String url, Duration timeout) {
        return Holdfast.builder().url(url).commandTimeout(timeout).lazy(true).build();
    }
}
