package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Credentials;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.CommandCounts;
import dev.holdfast.redis.Outcomes;
import dev.holdfast.redis.Secrets;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Passwords, users and TLS on a quorum, and what it refuses. */
final class RedlockAccessTest {
    private static final String PASSWORD = Secrets.CANARY;
    private static final String OPTIONS = "#fresh=true&nodeTimeout=2s";

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void userWithTheDocumentedPermissionsCanDoEverything() throws InterruptedException, IOException {
        List<RedisNode> nodes = RedisNode.startSeveral(
                rig,
                3,
                RedisSettings.defaults()
                        .withPassword(PASSWORD)
                        .withUsers(
                                "user default on >" + PASSWORD + " ~* &* +@all",
                                "user locks on >" + PASSWORD + " " + documentedAcl(),
                                "user reader on >" + PASSWORD + " ~holdfast:* &holdfast:* +@read +@pubsub +ping"));
        String url = url("redlock", "locks:" + PASSWORD + "@", nodes) + OPTIONS;
        LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofMillis(900));
        try (Holdfast locks = Holdfast.connect(url);
                Holdfast others = Holdfast.connect(url)) {
            Lease held = locks.lock("acl", brief).acquire();
            CompletableFuture<Lease> waiter = others.lock("acl").acquireAsync();
            assertThat(locks.lock("acl").tryAcquire()).isEmpty();
            Outcomes.outlives(held, brief);
            assertThat(locks.list("a", 10)).hasSize(1);
            assertThat(nodes)
                    .allSatisfy(node -> assertThat(CommandCounts.of(node))
                            .containsKey("scan")
                            .doesNotContainKey("keys"));
            assertThat(held.release()).isTrue();
            assertThat(Outcomes.of(waiter).isHeld()).isTrue();
            assertThat(locks.evict("acl", "test")).isEqualTo(1);
            assertThat(locks.inspect("acl").orElseThrow().lastEviction()).isPresent();
            Lease reader = locks.readWriteLock("read", brief).readLock().acquire();
            CompletableFuture<Lease> writer =
                    others.readWriteLock("read").writeLock().acquireAsync();
            Outcomes.outlives(reader, brief);
            assertThat(locks.inspect("read").orElseThrow().holders()).hasSize(1);
            assertThat(reader.release()).isTrue();
            assertThat(Outcomes.of(writer).release()).isTrue();
            assertThat(locks.readWriteLock("read").readLock().acquire().isHeld())
                    .isTrue();
            assertThat(locks.evict("read", "test")).isEqualTo(1);
        }
        try (Holdfast apart = Holdfast.builder()
                .url(url("redlock", "", nodes) + OPTIONS)
                .credentials(Credentials.of("locks", PASSWORD))
                .build()) {
            assertThat(apart.lock("apart").acquire().release()).isTrue();
        }
        assertThatThrownBy(() -> Holdfast.connect(url("redlock", "locks:wrong@", nodes) + OPTIONS))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("password");
        assertThatThrownBy(() -> Holdfast.connect(url("redlock", "reader:" + PASSWORD + "@", nodes) + OPTIONS))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("permissions")
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(PASSWORD));
    }

    @Test
    void locksOverTls() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(rig);
        List<RedisNode> nodes =
                RedisNode.startSeveral(rig, 3, RedisSettings.defaults().withTls(certificates));
        String url = url("redlock+tls", "", nodes) + OPTIONS;
        try (Holdfast locks = Holdfast.connect(url + "&ca=" + certificates.authorityFile())) {
            Lease lease = locks.lock("secret").acquire();
            assertThat(locks.inspect("secret").orElseThrow().holders()).hasSize(1);
            assertThat(lease.release()).isTrue();
        }
        assertThatThrownBy(() -> Holdfast.connect(url))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("certificate");
        assertThatThrownBy(() -> Holdfast.connect(url("redlock", "", nodes) + OPTIONS + "&ca=file"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("redlock+tls");
    }

    @Test
    void whatAQuorumCannotCarryIsRefusedClearly() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        try (Holdfast locks = Holdfast.connect(nodes.url(RedlockNodes.CALM))) {
            assertThatThrownBy(() -> locks.semaphore("s", 3)).isInstanceOf(IllegalArgumentException.class);
            assertThat(locks.readWriteLock("rw").readLock().acquire().release()).isTrue();
            assertThatThrownBy(() -> locks.all("a", "b")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void nodesThatAreNotThereAreToldAtOnce() {
        assertThatThrownBy(() -> Holdfast.connect("redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"))
                .isInstanceOf(StoreUnavailableException.class);
    }

    private static String url(String scheme, String user, List<RedisNode> nodes) {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", scheme + "://" + user, ""));
    }

    /** The permissions that the store's page tells people to give. */
    private static String documentedAcl() throws IOException {
        return Files.readAllLines(Path.of("../../docs/stores/redlock.md")).stream()
                .filter(line -> line.startsWith("ACL SETUSER locks"))
                .map(line -> line.substring(line.indexOf("resetchannels")))
                .findFirst()
                .orElseThrow();
    }
}
