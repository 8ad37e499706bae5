package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Credentials;
import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Passwords, users, databases and TLS: what works, and how it is told that something does not. */
final class AccessTest {
    private static final String PASSWORD = Secrets.CANARY;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    @BeforeAll
    static void start() throws InterruptedException, IOException {
        redis = RedisNode.start(
                rig,
                RedisSettings.defaults()
                        .withPassword(PASSWORD)
                        .withUsers(
                                "user default on >" + PASSWORD + " ~* &* +@all",
                                "user locks on >" + PASSWORD + " " + documentedAcl(),
                                "user selecting on >" + PASSWORD + " " + documentedAcl() + " +select",
                                "user waiting on >" + PASSWORD + " " + documentedAcl() + " +wait",
                                "user mute on >" + PASSWORD + " "
                                        + documentedAcl().replace("&holdfast:*", ""),
                                "user reader on >" + PASSWORD + " ~holdfast:* &holdfast:* +@read +@pubsub +ping"));
    }

    @Test
    void passwordInTheUrl() throws InterruptedException {
        use(redis.url());
    }

    @Test
    void passwordApartFromTheUrl() throws InterruptedException {
        try (Holdfast locks = Holdfast.builder()
                .url("redis://127.0.0.1:" + redis.port())
                .credentials(Credentials.ofPassword(PASSWORD))
                .build()) {
            assertThat(locks.lock("apart").acquire().release()).isTrue();
        }
    }

    @Test
    void userWithTheDocumentedPermissionsCanDoEverything() throws InterruptedException {
        String url = url("locks", PASSWORD);
        try (Holdfast locks = Holdfast.connect(url);
                Holdfast others = Holdfast.connect(url)) {
            LockOptions brief = LockOptions.defaults().withLeaseTime(Duration.ofMillis(600));
            Lease held = locks.lock("acl", brief).acquire();
            CompletableFuture<Lease> waiter = others.lock("acl").acquireAsync();
            assertThat(locks.lock("acl").tryAcquire()).isEmpty();
            await().until(() -> locks.inspect("acl").orElseThrow().waiters().size() == 1);
            Outcomes.outlives(held, brief);
            assertThat(locks.list("a", 10)).hasSize(1);
            assertThat(held.release()).isTrue();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            Outcomes.of(waiter).onLost(told::complete);
            assertThat(locks.evict("acl", "test")).isEqualTo(1);
            assertThat(Outcomes.of(told)).isEqualTo(LossReason.EVICTED);
            Lease one = locks.semaphore("acl/s", 2).permits(1).acquire();
            Lease two = others.semaphore("acl/s", 2).permits(1).acquire();
            assertThat(others.semaphore("acl/s", 2).permits(1).tryAcquire(Duration.ofMillis(50)))
                    .isEmpty();
            assertThat(one.release() && two.release()).isTrue();
            assertThat(locks.all("acl/a", "acl/b").acquire().release()).isTrue();
        }
    }

    @Test
    void anotherDatabaseNeedsOnePermissionMore() throws InterruptedException {
        refused(url("locks", PASSWORD) + "/2", "permissions");
        use(url("selecting", PASSWORD) + "/2");
    }

    @Test
    void replicasThatAcknowledgeNeedOnePermissionMore() throws InterruptedException {
        RedisNode.start(
                rig, RedisSettings.defaults().withPassword(PASSWORD).withLines("replicaof 127.0.0.1 " + redis.port()));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> String.valueOf(redis.ask("INFO", "replication")).contains("state=online"));
        assertThatThrownBy(() -> use(url("locks", PASSWORD) + "#replicas=1"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("permissions")
                .satisfies(AccessTest::showsNoSecret);
        use(url("waiting", PASSWORD) + "#replicas=1");
    }

    @Test
    void locksAreListedByScanAndNeverByKeys() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(redis.url())) {
            Lease held = locks.lock("listed").acquire();
            CommandCounts.reset(redis);
            assertThat(locks.list("listed", 10)).hasSize(1);

            assertThat(CommandCounts.of(redis)).containsKey("scan").doesNotContainKey("keys");
            assertThat(held.release()).isTrue();
        }
    }

    @Test
    void wrongPasswordIsAMisconfigurationAtOnce() {
        refused(url("locks", "wrong-" + PASSWORD), "password");
        refused("redis://127.0.0.1:" + redis.port(), "password");
        refused(url("nobody", PASSWORD), "password");
    }

    @Test
    void missingPermissionIsAMisconfigurationThatSaysWhich() {
        refused(url("reader", PASSWORD), "permissions");
    }

    @Test
    void userThatMayNotListenIsRefusedAtOnceAndNotWhenItWaits() {
        refused(url("mute", PASSWORD), "permissions");
    }

    @Test
    void databasesAreApart() throws InterruptedException {
        try (Holdfast first = Holdfast.connect(redis.url());
                Holdfast second = Holdfast.connect(redis.url() + "/2")) {
            Lease one = first.lock("same").acquire();
            assertThat(second.lock("same").tryAcquire()).isPresent();
            assertThat(one.isHeld()).isTrue();
        }
    }

    @Test
    void databaseThatDoesNotExistIsAMisconfiguration() {
        refused(redis.url() + "/99", "database");
    }

    @Test
    void prefixesAreApart() throws InterruptedException {
        try (Holdfast first = Holdfast.connect(redis.url() + "#prefix=a");
                Holdfast second = Holdfast.connect(redis.url() + "#prefix=b:c")) {
            Lease one = first.lock("same").acquire();
            assertThat(second.lock("same").tryAcquire()).isPresent();
            assertThat(first.list("", 10)).hasSize(1);
            assertThat(one.isHeld()).isTrue();
        }
    }

    @Test
    void foreignKeyIsAMisconfiguration() {
        redis.ask("RPUSH", "holdfast:{foreign}", "x");
        try (Holdfast locks = Holdfast.connect(redis.url())) {
            assertThatThrownBy(() -> locks.lock("foreign").tryAcquire())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("prefix");
        }
        redis.ask("DEL", "holdfast:{foreign}");
    }

    @Test
    void tlsWithAnAuthorityOfOnesOwn() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(rig);
        RedisNode encrypted = RedisNode.start(
                rig, RedisSettings.defaults().withPassword(PASSWORD).withTls(certificates));
        use("rediss://:" + PASSWORD + "@localhost:" + encrypted.port() + "#ca=" + certificates.authorityFile());
        refused("rediss://:" + PASSWORD + "@localhost:" + encrypted.port(), "certificate");
        assertThatThrownBy(() -> Holdfast.connect("rediss://:" + PASSWORD + "@localhost:" + redis.port()))
                .as("a server that does not speak TLS says nothing that could be understood")
                .isInstanceOf(StoreUnavailableException.class)
                .satisfies(AccessTest::showsNoSecret);
    }

    @Test
    void certificateForAnotherHostIsRefused() throws InterruptedException {
        Certificates certificates = Certificates.forHost(rig, "elsewhere.example");
        RedisNode encrypted = RedisNode.start(rig, RedisSettings.defaults().withTls(certificates));
        refused("rediss://localhost:" + encrypted.port() + "#ca=" + certificates.authorityFile(), "certificate");
    }

    @Test
    void silentServerIsUnavailableWithoutSecrets() throws InterruptedException {
        RedisNode gone = RedisNode.start(rig, RedisSettings.defaults().withPassword(PASSWORD));
        String url = gone.url();
        gone.stop();
        assertThatThrownBy(() -> Holdfast.connect(url))
                .isInstanceOf(StoreUnavailableException.class)
                .satisfies(AccessTest::showsNoSecret);
        assertThatThrownBy(() -> Holdfast.connect("redis://:" + PASSWORD + "@nonesuch.invalid"))
                .isInstanceOf(StoreUnavailableException.class)
                .satisfies(AccessTest::showsNoSecret);
    }

    /** The line of the documentation that an operator copies. */
    static String documentedAcl() throws IOException {
        Path page = Path.of("../../docs/stores/redis.md");
        return Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("ACL SETUSER locks"))
                .map(line -> line.substring(line.indexOf("~holdfast:*")))
                .findFirst()
                .orElseThrow();
    }

    private static void use(String url) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url)) {
            DistributedLock lock = locks.lock("use");
            assertThat(lock.acquire().release()).isTrue();
            assertThat(locks.toString()).doesNotContain(PASSWORD);
            assertThat(locks.traits().toString()).doesNotContain(PASSWORD);
        }
    }

    private static void refused(String url, String about) {
        assertThatThrownBy(() -> Holdfast.connect(url))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining(about)
                .satisfies(AccessTest::showsNoSecret);
    }

    private static void showsNoSecret(Throwable thrown) {
        StringWriter all = new StringWriter();
        thrown.printStackTrace(new PrintWriter(all));
        assertThat(all.toString()).doesNotContain(PASSWORD);
        assertThat(thrown).isInstanceOf(HoldfastException.class);
    }

    private String url(String user, String password) {
        return "redis://" + user + ":" + password + "@127.0.0.1:" + redis.port();
    }
}
