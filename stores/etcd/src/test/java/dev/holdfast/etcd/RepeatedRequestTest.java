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
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The way to one member is slow, so a request is given up and repeated on another one. The first reaches the cluster when all
 * is over, and must not take a lock that nobody would ever give back.
 */
final class RepeatedRequestTest {
    /** Longer than a first try lasts, which is half of the command timeout. */
    private static final Duration SLOWNESS = Duration.ofSeconds(4);

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdCluster cluster;
    private static List<FaultProxy> proxies;
    private static Keys keys;

    @BeforeAll
    static void start() throws InterruptedException {
        cluster = EtcdCluster.start(rig, EtcdSettings.defaults());
        proxies = new ArrayList<>();
        for (EtcdNode node : cluster.nodes()) {
            proxies.add(FaultProxy.before(rig, node.port()));
        }
        Soon.loadClasses(cluster.addresses());
        keys = new Keys(cluster.nodes().get(0), "repeated");
    }

    @AfterEach
    void mend() {
        proxies.forEach(FaultProxy::heal);
    }

    private static Holdfast client() {
        return Holdfast.builder()
                .url("etcd://"
                        + proxies.stream()
                                .map(proxy -> "127.0.0.1:" + proxy.port())
                                .collect(Collectors.joining(","))
                        + "/repeated#session=60s")
                .commandTimeout(COMMAND_TIMEOUT)
                .build();
    }

    /** The proxy that a client's calls go through now. */
    private static FaultProxy used(Holdfast client) {
        List<Long> before = sent();
        client.inspect("which");
        List<Long> after = sent();
        for (int i = 0; i < proxies.size(); i++) {
            if (after.get(i) > before.get(i)) {
                return proxies.get(i);
            }
        }
        throw new AssertionError("nothing was sent");
    }

    private static List<Long> sent() {
        return proxies.stream().map(proxy -> proxy.bytes(Direction.TO_SERVER)).toList();
    }

    /** What is under way through a slow proxy arrives within its delay; what came just before it may cost that once more. */
    private static void staysFree(String name) {
        await().atMost(Soon.PATIENCE)
                .during(SLOWNESS.multipliedBy(2).plusSeconds(1))
                .until(() -> keys.line(name).isEmpty());
    }

    @Test
    void requestThatArrivesAfterItsRepetitionAndTheReleaseTakesNothing() throws InterruptedException {
        try (Holdfast client = client()) {
            client.lock("warm").acquire().close();
            FaultProxy slow = used(client);
            slow.delay(Direction.TO_SERVER, SLOWNESS);
            client.lock("released").acquire().close();
            staysFree("released");
        }
    }

    @Test
    void waiterWhoseFirstRequestArrivesAfterItsEndTakesNothing() throws InterruptedException {
        try (Holdfast client = client();
                Holdfast other = Holdfast.connect("etcd://" + cluster.addresses() + "/repeated")) {
            client.lock("warm").acquire().close();
            Lease held = other.lock("waited").acquire();
            FaultProxy slow = used(client);
            slow.delay(Direction.TO_SERVER, SLOWNESS);
            assertThat(client.lock("waited").tryAcquire(Duration.ofMillis(2_700)))
                    .isEmpty();
            held.close();
            staysFree("waited");
        }
    }

    @Test
    void refusedTryWhoseFirstRequestArrivesAfterTheHolderHasGoneTakesNothing() throws InterruptedException {
        try (Holdfast client = client();
                Holdfast other = Holdfast.connect("etcd://" + cluster.addresses() + "/repeated")) {
            client.lock("warm").acquire().close();
            Lease held = other.lock("tried").acquire();
            FaultProxy slow = used(client);
            slow.delay(Direction.TO_SERVER, SLOWNESS);
            assertThat(client.lock("tried").tryAcquire()).isEmpty();
            held.close();
            staysFree("tried");
        }
    }
}
