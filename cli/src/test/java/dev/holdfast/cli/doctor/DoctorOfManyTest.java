package dev.holdfast.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Capture;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.zookeeper.ZooKeeperEnsemble;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What {@code doctor} says of groups of servers. */
@Tag("full")
class DoctorOfManyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    private static final Rig RIG = new Rig();

    @Test
    void sentinelsTheirMasterAndItsReplicasAreAllLookedAt() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(
                RIG, RedisSettings.defaults().withPassword("geheim").withDurability());
        Capture fine = Capture.of("doctor", group.url());
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains("3 sentinels, quorum 2", "[min-replicas]")
                .doesNotContain("geheim");

        group.replicas().get(0).ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        group.sentinels().get(2).pause();
        Capture bad = Capture.of("doctor", group.url());
        group.sentinels().get(2).resume();
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out())
                .contains("DANGER   127.0.0.1:" + group.replicas().get(0).port() + ": maxmemory-policy is allkeys-lru")
                .contains("caution  2 of 3 sentinels answer");
    }

    @Test
    void membersOfAClusterAreFoundFromOne() throws InterruptedException {
        RedisCluster cluster = RedisCluster.start(RIG, RedisSettings.defaults().withDurability());
        Capture fine = Capture.of("doctor", cluster.url());
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out()).contains("all 16384 slots are served", "and 3 more: maxmemory-policy is noeviction");

        cluster.nodes().get(4).ask("CONFIG", "SET", "appendonly", "no");
        Capture bad = Capture.of("doctor", cluster.url());
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out())
                .contains("DANGER   127.0.0.1:" + cluster.nodes().get(4).port() + ": appendonly is off");
        assertThat(Capture.of(
                                "doctor",
                                "redis://127.0.0.1:" + cluster.nodes().get(0).port())
                        .out())
                .contains("DANGER   it is a member of a cluster");
    }

    @Test
    void aStandbyThatNobodyWaitsForIsDangerousAndDoesNotServe() throws InterruptedException {
        DatabaseServer primary = Postgres.start(RIG, "fsync=on", "full_page_writes=on", "synchronous_commit=on");
        DatabaseServer standby = Postgres.standbyOf(RIG, primary, primary.port());
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> Capture.of("doctor", primary.access().jdbcUrlWithCredentials())
                        .out()
                        .contains("DANGER   standbys follow it, but it does not wait for one of them"));

        Capture refused = Capture.of("doctor", standby.access().jdbcUrlWithCredentials());
        assertThat(refused.code()).isEqualTo(74);
        assertThat(refused.out()).contains("DANGER   it is a standby, which cannot grant locks");
    }

    @Test
    void mySqlSaysHowItWrites() throws InterruptedException {
        Capture mySql = Capture.of("doctor", MySql.given(RIG).jdbcUrlWithCredentials());
        assertThat(mySql.out())
                .contains("MySQL ", "innodb_flush_log_at_trx_commit is ", "tables are made by InnoDB")
                .contains("its clock is as ours", "one server answers at this address")
                .doesNotContain("cannot be read");
    }

    @Test
    void anEnsembleOfZooKeeperIsOne() throws InterruptedException {
        ZooKeeperEnsemble ensemble =
                ZooKeeperEnsemble.start(RIG, ZooKeeperSettings.defaults().withSynchronousWrites());
        Capture fine = Capture.of("doctor", "zookeeper://" + ensemble.addresses() + "/locks");
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out()).contains("3 servers of one ensemble answer");

        ensemble.followers().get(0).kill();
        assertThat(Capture.of("doctor", "zookeeper://" + ensemble.addresses() + "/locks")
                        .out())
                .contains("caution", "the server does not answer");
    }
}
