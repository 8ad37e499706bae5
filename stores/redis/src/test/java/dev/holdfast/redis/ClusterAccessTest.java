package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.io.IOException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.util.JedisClusterCRC16;

/** The permissions that a cluster needs beside those that every Redis needs, as the store's page names them. */
@Tag("full")
final class ClusterAccessTest {
    private static final String PASSWORD = Secrets.CANARY;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisCluster cluster;

    @BeforeAll
    static void start() throws InterruptedException, IOException {
        String acl = ">" + PASSWORD + " " + AccessTest.documentedAcl();
        cluster = RedisCluster.start(
                rig,
                RedisSettings.defaults()
                        .withPassword(PASSWORD)
                        .withUsers(
                                "user default on >" + PASSWORD + " ~* &* +@all",
                                "user locks on " + acl,
                                "user slots on " + acl + " +cluster|nodes +cluster|slots",
                                "user all on " + acl + " +cluster|nodes +cluster|slots +asking"));
    }

    @Test
    void slotsCannotBeFoundWithoutPermission() throws InterruptedException {
        assertThatThrownBy(() -> Holdfast.connect(url("locks")))
                .isInstanceOf(StoreMisconfiguredException.class)
                .hasMessageContaining("permissions")
                .hasMessageNotContaining(PASSWORD);
        try (Holdfast locks = Holdfast.connect(url("slots"))) {
            Lease held = locks.lock("found").acquire();
            assertThat(locks.list("", 10)).hasSize(1);
            cluster.nodes().forEach(node -> assertThat(CommandCounts.of(node)).doesNotContainKey("keys"));
            assertThat(held.release()).isTrue();
        }
    }

    @Test
    void slotOnTheMoveCannotBeFollowedWithoutPermission() throws InterruptedException {
        String key = "holdfast:{moving}";
        String slot = Integer.toString(JedisClusterCRC16.getSlot(key));
        RedisNode from = cluster.masterOf(key);
        RedisNode to = IntStream.range(0, 1000)
                .mapToObj(i -> cluster.masterOf("holdfast:{elsewhere/" + i + "}"))
                .filter(node -> node.port() != from.port())
                .findFirst()
                .orElseThrow();
        try (Holdfast all = Holdfast.connect(url("all"));
                Holdfast slots = Holdfast.connect(url("slots"))) {
            to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
            from.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
            // The name is not known yet, so it is to be made where the slot goes.
            assertThatThrownBy(() -> slots.lock("moving").tryAcquire()).isInstanceOf(HoldfastException.class);
            assertThat(all.lock("moving").tryAcquire().orElseThrow().release()).isTrue();
            for (RedisNode node : new RedisNode[] {to, from}) {
                node.ask("CLUSTER", "SETSLOT", slot, "NODE", id(to));
            }
        }
    }

    private static String id(RedisNode node) {
        return String.valueOf(node.ask("CLUSTER", "MYID"));
    }

    private static String url(String user) {
        return cluster.url().replace("://:", "://" + user + ":");
    }
}
