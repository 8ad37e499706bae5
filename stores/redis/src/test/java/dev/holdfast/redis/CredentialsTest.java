package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Credentials that change while clients run, and the name by which connections are listed. */
final class CredentialsTest {
    private static final String OLD = Secrets.CANARY;
    private static final String NEW = Secrets.CANARY + "-2";
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseTime(Duration.ofMillis(1500));

    @RegisterExtension
    static final Rig rig = new Rig();

    private static List<RedisNode> nodes;
    private static RedisNode redis;

    @BeforeAll
    static void start() throws InterruptedException, IOException {
        nodes = RedisNode.startSeveral(
                rig,
                3,
                RedisSettings.defaults()
                        .withUsers(
                                "user default on nopass ~* &* +@all",
                                "user locks on >" + OLD + " " + AccessTest.documentedAcl() + " +client|setname"));
        redis = nodes.get(0);
    }

    @Test
    void passwordChangesUnderAWarmClient() throws InterruptedException {
        passwords(OLD);
        AtomicReference<String> now = new AtomicReference<>(OLD);
        String url = "redis://127.0.0.1:" + redis.port();
        try (Holdfast locks = Holdfast.builder()
                        .store(RedisStores.at(url).withCredentials(() -> Credentials.of("locks", now.get())))
                        .build();
                Holdfast fixed = Holdfast.builder()
                        .url(url)
                        .credentials(Credentials.of("locks", OLD))
                        .build();
                Holdfast others = Holdfast.connect(url)) {
            Lease held = locks.lock("rotated", BRIEF).acquire();
            CompletableFuture<Lease> waiter = locks.lock("other", BRIEF).acquireAsync();
            assertThat(Outcomes.of(waiter).release()).isTrue();
            assertThat(fixed.lock("fixed").acquire().release()).isTrue();
            passwords(NEW);
            now.set(NEW);
            disconnect();

            assertThatThrownBy(() -> fixed.lock("fixed").acquire())
                    .as("the old password does not do any more")
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .satisfies(CredentialsTest::showsNoSecret);
            Outcomes.outlives(held, BRIEF);
            CompletableFuture<Lease> next = others.lock("rotated", BRIEF).acquireAsync();
            await().until(() -> locks.inspect("rotated").orElseThrow().waiters().size() == 1);
            assertThat(held.release()).isTrue();
            Lease second = Outcomes.of(next);
            CompletableFuture<Lease> third = locks.lock("rotated", BRIEF).acquireAsync();
            await().until(() ->
                    others.inspect("rotated").orElseThrow().waiters().size() == 1);
            assertThat(second.release()).isTrue();
            assertThat(Outcomes.of(third).release())
                    .as("the subscription is back too")
                    .isTrue();
        }
    }

    @Test
    void passwordChangesUnderAWarmQuorum() throws InterruptedException {
        passwords(OLD);
        AtomicReference<String> now = new AtomicReference<>(OLD);
        String url = nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redlock://", "#prefix=holdfast:q&fresh=true&nodeTimeout=2s"));
        try (Holdfast locks = Holdfast.builder()
                .store(RedisStores.at(url).withCredentials(() -> Credentials.of("locks", now.get())))
                .build()) {
            Lease held = locks.lock("rotated", BRIEF).acquire();
            passwords(NEW);
            now.set(NEW);
            disconnect();
            Outcomes.outlives(held, BRIEF);
            assertThat(held.release()).isTrue();
            assertThat(locks.lock("again").acquire().release()).isTrue();
        }
    }

    @Test
    void supplierThatThrowsIsAskedAgain() throws InterruptedException {
        passwords(OLD);
        AtomicReference<RuntimeException> trouble = new AtomicReference<>(new IllegalStateException(OLD));
        RedisConnections connections = RedisStores.at("redis://127.0.0.1:" + redis.port())
                .withCredentials(() -> {
                    RuntimeException now = trouble.get();
                    if (now != null) {
                        throw now;
                    }
                    return Credentials.of("locks", OLD);
                });
        assertThatThrownBy(() -> Holdfast.builder().store(connections).build())
                .isInstanceOf(StoreUnavailableException.class)
                .hasStackTraceContaining("credentials")
                .satisfies(CredentialsTest::showsNoSecret);
        trouble.set(null);
        try (Holdfast locks = Holdfast.builder().store(connections).build()) {
            assertThat(locks.lock("again").acquire().release()).isTrue();
            trouble.set(new IllegalStateException(OLD));
            disconnect();
            assertThatThrownBy(() -> locks.lock("again").tryAcquire()).isInstanceOf(StoreUnavailableException.class);
            trouble.set(null);
            assertThat(locks.lock("again").acquire().release()).isTrue();
        }
    }

    @Test
    void connectionsCarryTheNameOfTheClient() throws InterruptedException {
        passwords(OLD);
        String hosts = nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
        for (String url : List.of(
                "redis://locks:" + OLD + "@127.0.0.1:" + redis.port(),
                "redlock://locks:" + OLD + "@" + hosts + "#prefix=holdfast:q&fresh=true&nodeTimeout=2s")) {
            String name = "billing-" + url.indexOf(':');
            try (Holdfast locks = Holdfast.builder().url(url).clientName(name).build()) {
                Lease held = locks.lock("named").acquire();
                for (RedisNode node : url.startsWith("redlock") ? nodes : List.of(redis)) {
                    List<String> ours = String.valueOf(node.ask("CLIENT", "LIST"))
                            .lines()
                            .filter(line -> line.contains("user=locks"))
                            .toList();
                    assertThat(ours).isNotEmpty().allMatch(line -> line.contains(" name=" + name + " "));
                }
                assertThat(held.release()).isTrue();
            }
            await().until(() -> !String.valueOf(redis.ask("CLIENT", "LIST")).contains(name));
        }
    }

    private static void passwords(String password) {
        nodes.forEach(node -> node.ask("ACL", "SETUSER", "locks", "resetpass", ">" + password));
    }

    private static void disconnect() {
        nodes.forEach(node -> node.ask("CLIENT", "KILL", "USER", "locks"));
    }

    private static void showsNoSecret(Throwable thrown) {
        StringWriter all = new StringWriter();
        thrown.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain(OLD);
        assertThat(thrown).isInstanceOf(HoldfastException.class);
    }
}
