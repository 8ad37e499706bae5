package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.proxy.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many clients begin their sessions at once, as when a service is deployed: all of them change the offset of tokens. */
final class SessionsTogetherTest {
    private static final int CLIENTS = 40;

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void clientsThatStartTogetherAllGetASession() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        Soon.loadClasses(node.address());
        FaultProxy proxy = FaultProxy.before(rig, node.port());
        proxy.delay(Duration.ofMillis(20));
        ExecutorService starters = Executors.newFixedThreadPool(CLIENTS);
        List<CompletableFuture<Holdfast>> started = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                started.add(CompletableFuture.supplyAsync(
                        () -> Holdfast.builder()
                                .url("etcd://127.0.0.1:" + proxy.port() + "/together")
                                .commandTimeout(Soon.PATIENCE)
                                .build(),
                        starters));
            }
            for (CompletableFuture<Holdfast> client : started) {
                assertThat(Soon.get(client).lock("together").acquire().release())
                        .isTrue();
            }
        } finally {
            proxy.heal();
            starters.shutdown();
            started.forEach(client -> client.exceptionally(failed -> null)
                    .thenAccept(opened -> {
                        if (opened != null) {
                            opened.close();
                        }
                    })
                    .join());
        }
    }
}
