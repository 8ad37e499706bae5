package dev.holdfast.rig.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RedisSentinelsTest {
    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void masterReplicatesAndSentinelsKnowIt() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        assertThat(group.replicas()).hasSize(2);
        assertThat(group.url())
                .matches("redis\\+sentinel://127\\.0\\.0\\.1:\\d+(,127\\.0\\.0\\.1:\\d+){2}/holdfast-master");
        group.master().ask("SET", "k", "v");
        assertThat(group.master().ask("WAIT", "2", "5000")).isEqualTo(2L);
    }

    @Test
    @Tag("full")
    void failOverChangesTheMasterAndLosesNothing() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        RedisNode old = group.master();
        try (RespWrites writes = RespWrites.to(old)) {
            writes.set("k", "v", 2);
        }
        RedisNode promoted = group.failOver();
        assertThat(promoted.port()).isNotEqualTo(old.port());
        assertThat(promoted.ask("GET", "k")).isEqualTo("v");
        assertThat(group.replicas()).hasSize(2);
    }

    @Test
    void lostMasterTakesWritesSinceTheHoldWithIt() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        RedisNode old = group.master();
        try (RespWrites writes = RespWrites.to(old)) {
            writes.set("early", "v", 2);
            group.holdReplicas();
            writes.set("late", "v", 0);
        }
        RedisNode promoted = group.loseMaster();
        assertThat(promoted.ask("GET", "early")).isEqualTo("v");
        assertThat(promoted.ask("GET", "late")).isNull();

        old.start();
        group.awaitSettled();
        assertThat(old.info("replication", "role")).isEqualTo("slave");
        assertThat(old.ask("GET", "late")).isNull();
    }

    @Test
    @Tag("full")
    void worksWithTlsAndPassword() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(
                rig, RedisSettings.defaults().withPassword("word").withTls(Certificates.forLocalhost(rig)));
        RedisNode promoted = group.failOver();
        assertThat(promoted.ask("SET", "k", "v")).isEqualTo("OK");
    }
}
