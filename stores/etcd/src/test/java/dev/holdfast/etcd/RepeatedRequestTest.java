package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdCluster;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.etcd.EtcdSettings;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The way to one member is slow, so a request is given up and repeated on another one. The first reaches the cluster when all
 * is over, and must not take a lock that nobody would ever give back. The cases do nothing but wait most of the time, so they
 * run together, each with a network of its own.
 */
final class RepeatedRequestTest {
    /** Longer than a first try lasts, which is half of the command timeout. */
    private static final Duration SLOWNESS = Duration.ofSeconds(3);

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(4);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdCluster cluster;
    private static Keys keys;
    private static CompletableFuture<Boolean> released;
    private static CompletableFuture<Boolean> waited;
    private static CompletableFuture<Boolean> tried;

    @BeforeAll
    static void startAll() throws InterruptedException {
        cluster = EtcdCluster.start(rig, EtcdSettings.defaults());
        Soon.loadClasses(cluster.addresses());
        keys = new Keys(cluster.nodes().get(0), "repeated");
        released = begin(new Network(), RepeatedRequestTest::takeAndGiveBack);
        waited = begin(new Network(), RepeatedRequestTest::waitInVain);
        tried = begin(new Network(), RepeatedRequestTest::tryInVain);
    }

    private interface Scene {
        void play(Network network) throws InterruptedException;
    }

    private static CompletableFuture<Boolean> begin(Network network, Scene scene) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                scene.play(network);
                over.complete(true);
            } catch (InterruptedException | RuntimeException | AssertionError failed) {
                over.completeExceptionally(failed);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return over;
    }

    /** A way of its own to each member. */
    private static final class Network {
        private final List<FaultProxy> proxies = new ArrayList<>();

        Network() {
            for (EtcdNode node : cluster.nodes()) {
                proxies.add(FaultProxy.before(rig, node.port()));
            }
        }

        Holdfast client() {
            return Holdfast.builder()
                    .url("etcd://"
                            + proxies.stream()
                                    .map(proxy -> "127.0.0.1:" + proxy.port())
                                    .collect(Collectors.joining(","))
                            + "/repeated#session=60s")
                    .commandTimeout(COMMAND_TIMEOUT)
                    .build();
        }

        /** The proxy that the client's calls go through now becomes slow. */
        void slowDown(Holdfast client) {
            List<Long> before = sent();
            client.inspect("which");
            List<Long> after = sent();
            for (int i = 0; i < proxies.size(); i++) {
                if (after.get(i) > before.get(i)) {
                    proxies.get(i).delay(Direction.TO_SERVER, SLOWNESS);
                    return;
                }
            }
            throw new AssertionError("nothing was sent");
        }

        private List<Long> sent() {
            return proxies.stream()
                    .map(proxy -> proxy.bytes(Direction.TO_SERVER))
                    .toList();
        }
    }

    private static Holdfast other() {
        return Holdfast.connect("etcd://" + cluster.addresses() + "/repeated");
    }

    /** What is under way through a slow proxy arrives within its delay; what came just before it may cost that once more. */
    private static void staysFree(String name) {
        Duration time = SLOWNESS.multipliedBy(2);
        await().during(time)
                .atMost(time.multipliedBy(3))
                .untilAsserted(() -> assertThat(keys.line(name))
                        .as("what nobody will give back")
                        .isEmpty());
    }

    private static void takeAndGiveBack(Network network) throws InterruptedException {
        try (Holdfast client = network.client()) {
            client.lock("warm-1").acquire().close();
            network.slowDown(client);
            client.lock("released").acquire().close();
            staysFree("released");
        }
    }

    private static void waitInVain(Network network) throws InterruptedException {
        try (Holdfast client = network.client();
                Holdfast other = other()) {
            client.lock("warm-2").acquire().close();
            Lease held = other.lock("waited").acquire();
            network.slowDown(client);
            assertThat(client.lock("waited")
                            .tryAcquire(COMMAND_TIMEOUT.dividedBy(2).plusMillis(200)))
                    .isEmpty();
            held.close();
            staysFree("waited");
        }
    }

    private static void tryInVain(Network network) throws InterruptedException {
        try (Holdfast client = network.client();
                Holdfast other = other()) {
            client.lock("warm-3").acquire().close();
            Lease held = other.lock("tried").acquire();
            network.slowDown(client);
            assertThat(client.lock("tried").tryAcquire()).isEmpty();
            held.close();
            staysFree("tried");
        }
    }

    @Test
    void requestThatArrivesAfterItsRepetitionAndTheReleaseTakesNothing() throws InterruptedException {
        assertThat(Soon.get(released)).isTrue();
    }

    @Test
    void waiterWhoseFirstRequestArrivesAfterItsEndTakesNothing() throws InterruptedException {
        assertThat(Soon.get(waited)).isTrue();
    }

    @Test
    void refusedTryWhoseFirstRequestArrivesAfterTheHolderHasGoneTakesNothing() throws InterruptedException {
        assertThat(Soon.get(tried)).isTrue();
    }
}
