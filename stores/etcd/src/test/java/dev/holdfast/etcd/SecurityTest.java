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
import dev.holdfast.rig.etcd.EtcdSettings;
import dev.holdfast.rig.tls.Certificates;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Users, rights, tokens that end, certificates, and a full disk. */
final class SecurityTest {
    @RegisterExtension
    final Rig rig = new Rig();

    private static void works(String url) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url);
                Lease lease = locks.lock("secured").acquire()) {
            assertThat(lease.isHeld()).isTrue();
        }
    }

    @Test
    void userAndPassword() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig, EtcdSettings.defaults().withFlag("--auth-token-ttl=1"));
        for (String user : new String[] {"root", "app", "guest"}) {
            node.ask("/v3/auth/user/add", "{\"name\":\"" + user + "\",\"password\":\"pass\"}");
            node.ask("/v3/auth/role/add", "{\"name\":\"" + user + "\"}");
            node.ask("/v3/auth/user/grant", "{\"user\":\"" + user + "\",\"role\":\"" + user + "\"}");
        }
        node.ask(
                "/v3/auth/role/grant",
                "{\"name\":\"app\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"" + EtcdNode.encoded("mine/")
                        + "\",\"range_end\":\"" + EtcdNode.encoded("mine0") + "\"}}");
        node.ask("/v3/auth/enable", "{}");

        String url = "etcd://app:pass@" + node.address() + "/mine#session=2s";
        works(url);
        assertThatThrownBy(() -> works("etcd://app:wrong@" + node.address() + "/mine"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("credentials")
                .hasMessageNotContaining("wrong");
        assertThatThrownBy(() -> works("etcd://" + node.address() + "/mine"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("asks for a user");
        assertThatThrownBy(() -> works("etcd://app:pass@" + node.address() + "/others"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("no right");
        assertThatThrownBy(() -> works("etcd://guest:pass@" + node.address() + "/mine"))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("no right");

        // The token of a client that does nothing ends after a second, and it signs in again.
        try (Holdfast locks = Holdfast.connect("etcd://app:pass@" + node.address() + "/mine#session=60s")) {
            Lease before = locks.lock("x").acquire();
            before.close();
            java.util.concurrent.atomic.AtomicLong since =
                    new java.util.concurrent.atomic.AtomicLong(System.nanoTime());
            await().until(() ->
                    System.nanoTime() - since.get() > Duration.ofSeconds(3).toNanos());
            try (Lease after = locks.lock("x").acquire()) {
                assertThat(after.token()).isGreaterThan(before.token());
            }
        }
    }

    @Test
    void certificates() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(rig);
        EtcdNode node = EtcdNode.start(rig, EtcdSettings.defaults().withTls(certificates, true));
        String url = "etcd+tls://localhost:" + node.port() + "/tls#session=2s";
        String trust = "&ca=" + certificates.authorityFile();
        String show = "&cert=" + certificates.certificateFile() + "&key=" + certificates.keyFile();

        works(url + trust + show);
        assertThatThrownBy(() -> works(url + show))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("over TLS");
        assertThatThrownBy(() -> works(url + trust))
                .isInstanceOfAny(StoreMisconfiguredException.class, StoreUnavailableException.class);
        assertThatThrownBy(() -> works("etcd://localhost:" + node.port() + "#ca=" + certificates.authorityFile()))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("etcd+tls://");
        assertThatThrownBy(() -> works(url + "&ca=" + certificates.keyFile()))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("PEM files");
    }

    @Test
    void fullDiskIsUnavailableAndOverWhenThereIsRoomAgain() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig, EtcdSettings.defaults().withFlag("--quota-backend-bytes=131072"));
        String url = "etcd://" + node.address() + "/full#session=4s";
        try (Holdfast locks = Holdfast.connect(url)) {
            Lease held = locks.lock("held").acquire();
            fill(node);
            assertThatThrownBy(() -> locks.lock("other").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("space");
            // What is held stays so, and can be given back.
            held.close();

            node.ask(
                    "/v3/kv/deleterange",
                    "{\"key\":\"" + EtcdNode.encoded("filling") + "\",\"range_end\":\"" + EtcdNode.encoded("fillinh")
                            + "\"}");
            node.compact();
            node.defragment();
            node.ask(
                    "/v3/maintenance/alarm",
                    "{\"action\":\"DEACTIVATE\",\"alarm\":\"NOSPACE\",\"memberID\":\"" + memberOf(node) + "\"}");
            try (Lease again = locks.lock("other").acquire()) {
                assertThat(again.isHeld()).isTrue();
            }
        }
    }

    private static String memberOf(EtcdNode node) {
        return node.ask("/v3/maintenance/status", "{}").replaceAll(".*\"member_id\":\"([0-9]+)\".*", "$1");
    }

    private static void fill(EtcdNode node) {
        String much = EtcdNode.encoded("x".repeat(16_384));
        for (int i = 0; i < 100; i++) {
            try {
                node.ask(
                        "/v3/kv/put",
                        "{\"key\":\"" + EtcdNode.encoded("filling" + i) + "\",\"value\":\"" + much + "\"}");
            } catch (java.io.UncheckedIOException full) {
                return;
            }
        }
        throw new AssertionError("the disk does not get full");
    }
}
