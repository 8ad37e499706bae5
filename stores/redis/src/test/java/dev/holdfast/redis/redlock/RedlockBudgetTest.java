package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Three clients, each with one node nearby, ask in the same moment: each gets its own node, and none a quorum. Nobody steps
 * aside for longer than its call may take (P17).
 */
final class RedlockBudgetTest {
    private static final int NODES = 3;
    private static final int TRIES = 4;
    private static final Duration FAR = Duration.ofMillis(400);
    private static final Duration TIMEOUT = Duration.ofMillis(1_000);

    /** A client that stepped aside and asked once more after the deadline took 1.2 to 1.6 s. */
    private static final Duration BUDGET = TIMEOUT.plusMillis(250);

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void clientsThatSplitTheNodesOverASlowNetworkAreInTime()
            throws ExecutionException, InterruptedException, TimeoutException {
        List<RedisNode> nodes = RedisNode.startSeveral(rig, NODES, RedisSettings.defaults());
        List<Holdfast> clients = new ArrayList<>();
        List<List<FaultProxy>> networks = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(NODES);
        try {
            for (int i = 0; i < NODES; i++) {
                List<FaultProxy> own = nodes.stream()
                        .map(node -> FaultProxy.before(rig, node.port()))
                        .toList();
                networks.add(own);
                List<String> addresses =
                        own.stream().map(each -> "127.0.0.1:" + each.port()).toList();
                clients.add(Holdfast.builder()
                        .url("redlock://" + String.join(",", addresses) + "#fresh=true&nodeTimeout=900ms")
                        .commandTimeout(TIMEOUT)
                        .build());
            }
            for (Holdfast client : clients) {
                client.lock("warm").acquire().close();
            }
            for (int i = 0; i < NODES; i++) {
                for (int node = 0; node < NODES; node++) {
                    networks.get(i).get(node).delay(Direction.TO_CLIENT, FAR);
                    networks.get(i).get(node).delay(Direction.TO_SERVER, node == i ? Duration.ZERO : FAR.dividedBy(4));
                }
            }
            CyclicBarrier together = new CyclicBarrier(NODES);
            List<Future<Duration>> longest = new ArrayList<>();
            for (Holdfast client : clients) {
                longest.add(threads.submit(longestOf(client, together)));
            }
            for (Future<Duration> each : longest) {
                assertThat(each.get(60, TimeUnit.SECONDS)).isLessThan(BUDGET);
            }
        } finally {
            threads.shutdownNow();
            networks.forEach(own -> own.forEach(FaultProxy::heal));
            clients.forEach(Holdfast::close);
        }
    }

    private static Callable<Duration> longestOf(Holdfast client, CyclicBarrier together) {
        return () -> {
            Duration longest = Duration.ZERO;
            for (int i = 0; i < TRIES; i++) {
                together.await(30, TimeUnit.SECONDS);
                long begin = System.nanoTime();
                try {
                    client.lock("split" + i).tryAcquire().ifPresent(lease -> lease.releaseAsync());
                } catch (HoldfastException cannotTell) {
                    // What counts is when.
                }
                Duration took = Duration.ofNanos(System.nanoTime() - begin);
                longest = took.compareTo(longest) > 0 ? took : longest;
            }
            return longest;
        };
    }
}
