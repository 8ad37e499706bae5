package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.proxy.FaultProxy;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A channel that the program lends, with gRPC's settings, which do not look after silent connections. */
final class LentChannelTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        node = EtcdNode.start(rig);
        Soon.loadClasses(node.address());
    }

    /** Nobody is told, so the channel goes on using the connection until the system gives it up, a quarter of an hour later. */
    @Test
    void deadConnectionOfALentChannelIsLeft() throws InterruptedException {
        FaultProxy network = FaultProxy.before(rig, node.port());
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", network.port())
                .usePlaintext()
                .build();
        try (Holdfast locks = locks(channel)) {
            Lease lease = locks.lock("held").acquire();
            network.abandon();

            await().atMost(Soon.PATIENCE)
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> locks.lock("other").tryAcquire().isPresent());
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.release()).isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void whoWaitsIsToldThatTheChannelWasShutDown() throws InterruptedException {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
        try (Holdfast locks = locks(channel);
                Holdfast rival = Holdfast.connect("etcd://" + node.address() + "/lent");
                Lease held = rival.lock("waited-for").acquire()) {
            assertThat(locks.lock("waited-for").tryAcquire()).isEmpty();
            CompletableFuture<Lease> waiting = locks.lock("waited-for").acquireAsync();
            channel.shutdownNow();

            await().atMost(Soon.PATIENCE).until(waiting::isDone);
            assertThatThrownBy(waiting::join)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("shut down");
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void channelBehindAnInterceptorServes() throws InterruptedException {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
        try (Holdfast locks = locks(ClientInterceptors.intercept(channel))) {
            locks.lock("intercepted").acquire().close();
        } finally {
            channel.shutdownNow();
        }
    }

    private static Holdfast locks(Channel channel) {
        return Holdfast.builder()
                .store(EtcdLocks.over(channel).withPrefix("lent").withSession(Duration.ofSeconds(60)))
                .commandTimeout(Duration.ofSeconds(1))
                .build();
    }
}
