package dev.holdfast.rig.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RedisClusterTest {
    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void threeMastersShareTheSlots() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        assertThat(cluster.nodes().stream().filter(each -> "master".equals(each.info("replication", "role"))))
                .hasSize(3);
        for (String key : new String[] {"a", "b", "c", "d", "e", "f"}) {
            assertThat(cluster.masterOf(key).ask("SET", key, "v")).isEqualTo("OK");
        }
    }

    @Test
    void failOverLosesNothing() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        RedisNode old = cluster.masterOf("k");
        old.ask("SET", "k", "v");
        RedisNode promoted = cluster.failOver(old);
        assertThat(cluster.masterOf("k").port()).isEqualTo(promoted.port());
        assertThat(promoted.port()).isNotEqualTo(old.port());
        assertThat(promoted.ask("GET", "k")).isEqualTo("v");
    }

    @Test
    void slotInUseMovesKeyByKey() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        RedisNode source = cluster.masterOf("{k}");
        RedisNode target = cluster.nodes().stream()
                .filter(each -> each.port() != source.port() && "master".equals(each.info("replication", "role")))
                .findFirst()
                .orElseThrow();
        assertThat(cluster.moveBusySlot(source, target)).isEmpty();
        for (String key : new String[] {"{k}1", "{k}2", "{k}3"}) {
            source.ask("SET", key, "v");
        }

        SlotMove move = cluster.moveBusySlot(source, target).orElseThrow();
        move.keys(1);
        assertThat(source.ask("DBSIZE")).isEqualTo(2L);
        assertThat(cluster.masterOf("{k}").port()).isEqualTo(source.port());
        move.finish();

        assertThat(cluster.masterOf("{k}").port()).isEqualTo(target.port());
        assertThat(target.ask("GET", "{k}3")).isEqualTo("v");
    }

    @Test
    void lostMasterTakesWritesSinceTheHoldWithIt() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        RedisNode old = cluster.masterOf("{k}");
        try (RespWrites writes = RespWrites.to(old)) {
            writes.set("{k}early", "v", 1);
            cluster.holdReplica(old);
            writes.set("{k}late", "v", 0);
        }
        RedisNode promoted = cluster.loseMaster(old);
        assertThat(promoted.ask("GET", "{k}early")).isEqualTo("v");
        assertThat(promoted.ask("GET", "{k}late")).isNull();

        old.start();
        cluster.awaitSettled();
        assertThat(old.info("replication", "role")).isEqualTo("slave");
    }

    @Test
    @Tag("full")
    void worksWithTlsAndPassword() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(
                rig, RedisSettings.defaults().withPassword("word").withTls(Certificates.forLocalhost(rig)));
        RedisNode promoted = cluster.failOver(cluster.masterOf("k"));
        assertThat(promoted.ask("SET", "k", "v")).isEqualTo("OK");
    }
}
