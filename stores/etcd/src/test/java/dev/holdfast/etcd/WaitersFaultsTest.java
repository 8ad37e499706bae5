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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two faults at once, while a client waits for locks. */
final class WaitersFaultsTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;
    private static FaultProxy proxy;
    private static Keys keys;

    @BeforeAll
    static void start() throws InterruptedException {
        node = EtcdNode.start(rig);
        proxy = FaultProxy.before(rig, node.port());
        Soon.loadClasses(node.address());
        keys = new Keys(node, "waiters");
    }

    @AfterEach
    void heal() {
        proxy.heal();
    }

    private static Holdfast client(int port) {
        return Holdfast.builder()
                .url("etcd://127.0.0.1:" + port + "/waiters#session=60s")
                .commandTimeout(Duration.ofSeconds(5))
                .build();
    }

    private static Holdfast direct() {
        return client(node.port());
    }

    private static Holdfast proxied() {
        return client(proxy.port());
    }

    private static List<Keys.Entry> untilLine(String name, int length) {
        await().atMost(Soon.PATIENCE).until(() -> keys.line(name).size() == length);
        return keys.line(name);
    }

    /** It clears away what may be left of its keys before it enters anew; the answer to that is lost. */
    @Test
    void waiterWhoseKeyWasDeletedEntersItsLineAgainThoughAnAnswerIsLost() throws InterruptedException {
        String name = "deleted-and-cut";
        try (Holdfast holder = direct();
                Holdfast waiter = proxied()) {
            Lease held = holder.lock(name).acquire();
            CompletableFuture<Lease> next = waiter.lock(name).acquireAsync();
            Keys.Entry waiting = untilLine(name, 2).get(1);
            // A transaction that deletes names the key, and not the end of the line.
            String key = waiting.key();
            String lineEnd = "lock/" + name + "\1";
            proxy.dropReplies(1, request -> request.contains(key) && !request.contains(lineEnd));
            keys.delete(waiting);
            held.close();
            Soon.get(next).close();
            assertThat(proxy.caught()).isPositive();
        }
    }

    /** All of them ask again at once, because their session is over. */
    @Test
    void waitersAreNotFailedByAForeignKeyInTheLineOfAnotherName() throws InterruptedException {
        try (Holdfast holder = direct();
                Holdfast waiter = proxied()) {
            List<Lease> held = new ArrayList<>();
            List<CompletableFuture<Lease>> sound = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                held.add(holder.lock("sound-" + i).acquire());
                sound.add(waiter.lock("sound-" + i).acquireAsync());
            }
            held.add(holder.lock("spoilt").acquire());
            CompletableFuture<Lease> spoilt = waiter.lock("spoilt").acquireAsync();
            List<Keys.Entry> line = untilLine("spoilt", 2);
            for (int i = 0; i < 20; i++) {
                untilLine("sound-" + i, 2);
            }
            String foreign = "\"key\":\"" + EtcdNode.encoded("waiters/lock/spoilt\0zzz") + "\"";
            node.ask("/v3/kv/put", "{" + foreign + ",\"value\":\"" + EtcdNode.encoded("somebody else's") + "\"}");
            keys.revoke(line.get(1));
            await().atMost(Soon.PATIENCE).until(spoilt::isCompletedExceptionally);
            node.ask("/v3/kv/deleterange", "{" + foreign + "}");
            held.forEach(Lease::close);
            for (CompletableFuture<Lease> each : sound) {
                Soon.get(each).close();
            }
        }
    }
}
