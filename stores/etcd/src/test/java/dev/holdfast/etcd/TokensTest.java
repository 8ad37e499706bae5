package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens go on upwards, whatever becomes of revisions; and a newer format is refused. */
final class TokensTest {
    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void tokensGoOnUpwardsWhenTheClusterGoesBack() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        String url = "etcd://" + node.address() + "/tokens#session=4s";
        try (Holdfast lives = Holdfast.connect(url)) {
            long last = 0;
            for (int i = 0; i < 50; i++) {
                try (Lease lease = lives.lock("x").acquire()) {
                    assertThat(lease.token()).isGreaterThan(last);
                    last = lease.token();
                }
            }
            // As after a restore from an old snapshot: revisions begin again, and so does everything else.
            node.server().restartEmpty();
            try (Holdfast fresh = Holdfast.connect(url);
                    Lease lease = fresh.lock("x").acquire()) {
                assertThat(lease.token()).isGreaterThan(last);
                last = lease.token();
            }
            try (Lease lease = acquireAtLast(lives)) {
                assertThat(lease.token()).isGreaterThan(last);
            }
        }
    }

    /** The first call of a client that lived through it finds out, and its outcome is unknown. */
    private static Lease acquireAtLast(Holdfast client) throws InterruptedException {
        try {
            return client.lock("x").tryAcquire(Duration.ofSeconds(20)).orElseThrow();
        } catch (StoreUnavailableException foundOut) {
            return client.lock("x").tryAcquire(Duration.ofSeconds(20)).orElseThrow();
        }
    }

    /** The offset of tokens is raised far, as by a client whose clock is fast, and then it is what it was before. */
    @Test
    void tokensGoOnUpwardsWhenTheirOffsetGoesBack() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        try (Holdfast client = Holdfast.connect("etcd://" + node.address() + "/offset#session=60s")) {
            long first;
            try (Lease lease = client.lock("x").acquire()) {
                first = lease.token();
            }
            writeOffset(node, 1L << 49);
            Lease held = client.lock("held").acquire();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            held.onLost(told::complete);
            long last;
            try (Lease lease = client.lock("x").acquire()) {
                last = lease.token();
            }
            assertThat(last).isGreaterThan(first);

            writeOffset(node, 1L << 48);
            try (Lease lease = client.lock("x").acquire()) {
                assertThat(lease.token()).isGreaterThan(last);
            }
            assertThat(Soon.get(told)).isEqualTo(LossReason.SESSION_LOST);
            try (Holdfast fresh = Holdfast.connect("etcd://" + node.address() + "/offset");
                    Lease lease = fresh.lock("held").acquire()) {
                assertThat(lease.token()).isGreaterThan(held.token());
            }
        }
    }

    @Test
    void offsetThatGoesBackEndsTheSessionOfAHolderThatAsks() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        try (Holdfast client = Holdfast.connect("etcd://" + node.address() + "/offset#session=60s")) {
            Lease held = client.lock("held").acquire();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            held.onLost(told::complete);
            writeOffset(node, 0);
            client.ping();
            assertThat(Soon.get(told)).isEqualTo(LossReason.SESSION_LOST);
        }
    }

    private static void writeOffset(EtcdNode node, long offset) {
        node.ask(
                "/v3/kv/put",
                "{\"key\":\"" + EtcdNode.encoded("offset/format") + "\",\"value\":\""
                        + EtcdNode.encoded("holdfast 2 " + offset) + "\"}");
    }

    /** The first edition of the keys was never released. */
    @Test
    void otherFormatsAreRefused() throws InterruptedException {
        EtcdNode node = EtcdNode.start(rig);
        for (String format : new String[] {"holdfast 1 0", "holdfast 3 0"}) {
            node.ask(
                    "/v3/kv/put",
                    "{\"key\":\"" + EtcdNode.encoded("other/format") + "\",\"value\":\"" + EtcdNode.encoded(format)
                            + "\"}");
            assertThatThrownBy(() -> Holdfast.connect("etcd://" + node.address() + "/other"))
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("another release");
        }
    }
}
