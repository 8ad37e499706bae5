package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.proxy.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The stream of watches breaks under a client that holds many locks, or waits for some. */
final class ManyHeldTest {
    private static final int HELD = 400;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;
    private static Keys keys;

    @BeforeAll
    static void start() throws InterruptedException {
        node = EtcdNode.start(rig);
        keys = new Keys(node, "many");
        Soon.loadClasses(node.address());
    }

    private static Holdfast client(int port) {
        return Holdfast.connect("etcd://127.0.0.1:" + port + "/many#session=60s");
    }

    @Test
    void heldLocksAreReadTogether() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast client = client(network.port());
                Holdfast other = client(node.port())) {
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < HELD; i++) {
                held.add(client.lock("held-" + i).acquire());
            }
            untilWatched(HELD);
            long before = node.metric("grpc_server_started_total");
            network.reset();
            Soon.pass(Duration.ofSeconds(2));
            untilWatched(HELD);
            assertThat(node.metric("grpc_server_started_total") - before)
                    .as("requests and streams")
                    .isLessThan(HELD / 10);
            // They are told again that somebody waits.
            CompletableFuture<Lease> waiting = other.lock("held-7").acquireAsync();
            held.forEach(Lease::close);
            Soon.get(waiting).close();
        }
    }

    /** A server counts watches when they begin. */
    private static void untilWatched(int atLeast) {
        await().atMost(Soon.PATIENCE).until(() -> node.metric("etcd_debugging_mvcc_watcher_total") >= atLeast);
    }

    /** It would ask by itself only after five seconds. */
    @Test
    void waiterIsWokenOnANewStream() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        try (Holdfast holder = client(node.port());
                Holdfast waiter = client(network.port())) {
            Lease held = holder.lock("cut").acquire();
            CompletableFuture<Lease> next = waiter.lock("cut").acquireAsync();
            await().atMost(Soon.PATIENCE).until(() -> keys.line("cut").size() == 2);
            network.reset();
            Soon.pass(Duration.ofSeconds(1));
            held.close();
            assertThat(next).succeedsWithin(Duration.ofSeconds(2)).satisfies(Lease::close);
        }
    }
}
