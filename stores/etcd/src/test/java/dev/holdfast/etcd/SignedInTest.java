package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.etcd.EtcdSettings;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthUserChangePasswordRequest;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The token of a client that is signed in ends while many of its threads ask, or while it only waits. */
final class SignedInTest {
    private static final int THREADS = 32;
    private static final int TIMES = 20;
    private static final Duration BETWEEN = Duration.ofMillis(100);

    /** After this a lock that is held is watched. */
    private static final Duration GUARDED = Duration.ofMillis(300);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;

    @BeforeAll
    static void start() throws InterruptedException {
        // Passwords that are quick to check, because there is one check for each token.
        node = EtcdNode.start(rig, EtcdSettings.defaults().withFlag("--bcrypt-cost=4"));
        Soon.loadClasses(node.address());
        for (String user : new String[] {"root", "app"}) {
            node.ask("/v3/auth/user/add", "{\"name\":\"" + user + "\",\"password\":\"pass\"}");
            node.ask("/v3/auth/role/add", "{\"name\":\"" + user + "\"}");
            node.ask("/v3/auth/user/grant", "{\"user\":\"" + user + "\",\"role\":\"" + user + "\"}");
        }
        node.ask(
                "/v3/auth/role/grant",
                "{\"name\":\"app\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"" + EtcdNode.encoded("mine/")
                        + "\",\"range_end\":\"" + EtcdNode.encoded("mine0") + "\"}}");
        node.ask("/v3/auth/enable", "{}");
    }

    private static Holdfast client() {
        return Holdfast.connect("etcd://app:pass@" + node.address() + "/mine#session=60s");
    }

    private static ManagedChannel channel() {
        return NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
    }

    /** Whenever the password is set, all tokens of the user end. */
    private static Runnable tokensEnd(Channel channel) {
        String token = AuthGrpc.newBlockingStub(channel)
                .authenticate(AuthenticateRequest.newBuilder()
                        .setName("root")
                        .setPassword("pass")
                        .build())
                .getToken();
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER), token);
        AuthGrpc.AuthBlockingStub admin =
                AuthGrpc.newBlockingStub(channel).withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
        AuthUserChangePasswordRequest same = AuthUserChangePasswordRequest.newBuilder()
                .setName("app")
                .setPassword("pass")
                .build();
        return () -> admin.userChangePassword(same);
    }

    /** One of them signs in for all, and meanwhile nobody asks as nobody. */
    @Test
    void nobodyFailsWhileTokensEnd() throws InterruptedException {
        ManagedChannel channel = channel();
        Tap tap = new Tap();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Holdfast client = Holdfast.builder()
                .store(EtcdLocks.over(ClientInterceptors.intercept(channel, tap))
                        .withPrefix("mine")
                        .withSession(Duration.ofSeconds(60))
                        .withUser("app", "pass"))
                .build()) {
            Runnable tokensEnd = tokensEnd(channel);
            List<CompletableFuture<Void>> done = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                // Half of them wait for each other.
                String name = i % 2 == 0 ? "own-" + i : "shared-" + i % 4;
                done.add(CompletableFuture.runAsync(() -> use(client, name, over), threads));
            }
            for (int i = 0; i < TIMES; i++) {
                tokensEnd.run();
                Soon.pass(BETWEEN);
            }
            over.set(true);
            for (CompletableFuture<Void> each : done) {
                Soon.get(each);
            }
            assertThat(tap.unsigned()).isEmpty();
            assertThat(tap.sent(AuthenticateRequest.class)).hasSizeLessThan(3 * TIMES);
        } finally {
            over.set(true);
            threads.shutdown();
            channel.shutdownNow();
        }
    }

    private static void use(Holdfast client, String name, AtomicBoolean over) {
        while (!over.get()) {
            try (Lease lease = client.lock(name).acquire()) {
                lease.ensureHeld();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
        }
    }

    /** The stream of watches was opened with a token that has ended since, so it refuses all new watches. */
    @Test
    void waiterIsWokenOnAStreamOfAnEarlierToken() throws InterruptedException {
        ManagedChannel channel = channel();
        try (Holdfast holder = client();
                Holdfast waiter = client()) {
            Lease guarded = waiter.lock("guarded").acquire();
            Lease held = holder.lock("ended").acquire();
            Soon.pass(GUARDED);
            tokensEnd(channel).run();
            CompletableFuture<Lease> next = waiter.lock("ended").acquireAsync();
            isWokenAndAsksLittle(held, next);
            assertThat(guarded.release()).isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    /** Afterwards the server knows no token. */
    @Test
    void waiterIsWokenAfterARestart() throws InterruptedException {
        try (Holdfast holder = client();
                Holdfast waiter = client()) {
            Lease guarded = waiter.lock("guarded").acquire();
            Lease held = holder.lock("restarted").acquire();
            CompletableFuture<Lease> next = waiter.lock("restarted").acquireAsync();
            Soon.pass(GUARDED);
            node.kill();
            node.start();
            node.awaitServing();
            isWokenAndAsksLittle(held, next);
            assertThat(guarded.isHeld()).isTrue();
        }
    }

    /** After some time to find out, to sign in and to watch again, clients that hold and wait ask for next to nothing. */
    private static void isWokenAndAsksLittle(Lease held, CompletableFuture<Lease> next) {
        Soon.pass(Duration.ofSeconds(1));
        long before = node.metric("grpc_server_msg_received_total");
        Soon.pass(Duration.ofSeconds(2));
        assertThat(node.metric("grpc_server_msg_received_total") - before)
                .as("messages to the server")
                .isLessThan(10);
        held.close();
        assertThat(next).succeedsWithin(Duration.ofSeconds(1)).satisfies(Lease::close);
    }
}
