package dev.holdfast.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Capture;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.rig.etcd.EtcdSettings;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.tls.Certificates;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code doctor} says of real stores, and what it warns of. In this process: only what it finds is the subject. */
class DoctorTest {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    @TempDir
    private Path directory;

    @Test
    void aPrivateDirectoryIsFineAndAPublicOneIsNot() throws IOException {
        Path mine = directory.resolve("mine");
        Capture fine = Capture.of("doctor", "file:" + mine);
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains("Promises\n", "  yes  locks between processes\n", "  ok       a round trip takes ")
                .contains("this user may take and release locks, and see those of others")
                .doesNotContain("DANGER");

        Files.setPosixFilePermissions(mine, PosixFilePermissions.fromString("rwxrwxrwx"));
        Capture open = Capture.of("doctor", "--url", "file:" + mine);
        assertThat(open.code()).isEqualTo(1);
        assertThat(open.out()).contains("  DANGER   everybody on this machine may write", "chmod 2770 DIR [rights]");
        assertThat(Capture.of("doctor", "--ignore", "rights", "file:" + mine).code())
                .isZero();
    }

    @Test
    void aRedisThatEvictsAndForgetsIsDangerous() throws InterruptedException {
        RedisNode redis = RedisNode.start(
                RIG, RedisSettings.defaults().withPassword("geheim").withDurability());
        Capture fine = Capture.of("doctor", redis.url());
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains("maxmemory-policy is noeviction", "appendfsync always", "  ok       Redis ")
                .contains("one server answers at this address", "its clock is as ours", "it asks for a password");

        redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        redis.ask("CONFIG", "SET", "appendonly", "no");
        Capture bad = Capture.of("doctor", "--json", redis.url());
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out())
                .contains("\"level\":\"danger\",\"id\":\"eviction\"", "maxmemory-policy is allkeys-lru")
                .contains("\"id\":\"persistence\"", "appendonly is off", "\"latencyMicros\":")
                .doesNotContain("geheim")
                .hasLineCount(1);
        assertThat(Capture.of("doctor", "--ignore", "persistence,eviction", redis.url())
                        .code())
                .isZero();

        redis.ask("CONFIG", "SET", "maxmemory", "1");
        Capture full = Capture.of("doctor", redis.url());
        assertThat(full.code())
                .as("the store failed, and is examined all the more")
                .isEqualTo(74);
        assertThat(full.out()).contains("its memory is nearly full").doesNotContain("Promises");
        assertThat(full.err()).startsWith("holdfast: ").hasLineCount(1).doesNotContain("geheim");
    }

    @Test
    void severalServersBehindOneAddressAreDangerous() throws InterruptedException, IOException {
        List<RedisNode> nodes = RedisNode.startSeveral(
                RIG, 2, RedisSettings.defaults().withPassword("geheim").withDurability());
        try (Balancer balancer = new Balancer(nodes.get(0).port(), nodes.get(1).port())) {
            Capture capture = Capture.of("doctor", "redis://:geheim@127.0.0.1:" + balancer.port());

            assertThat(capture.code()).as(capture.out() + capture.err()).isNotZero();
            assertThat(capture.out()).contains("DANGER   different servers answer at this one address");
        }
    }

    @Test
    void aUserWhoMayDoLittleIsToldSo() throws InterruptedException {
        RedisNode redis = RedisNode.start(
                RIG,
                RedisSettings.defaults()
                        .withUsers(
                                "user default on nopass ~* &* +@all",
                                "user locks on >geheim ~* &* +@all -@dangerous -scan"));
        Capture capture = Capture.of("doctor", "redis://locks:geheim@127.0.0.1:" + redis.port());

        assertThat(capture.code()).as(capture.out() + capture.err()).isZero();
        assertThat(capture.out())
                .contains("unknown  this user may not look at the server (INFO)")
                .contains("caution  this user may take and release locks, but not list them");
    }

    @Test
    void nodesOfARedlockAreExaminedOneByOneAlsoOverTls() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(RIG);
        List<RedisNode> nodes =
                RedisNode.startSeveral(RIG, 3, RedisSettings.defaults().withTls(certificates));
        String tls = "#ca=" + certificates.authorityFile();
        String url = "redlock+tls://"
                + nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(",")) + tls
                + "&fresh=true";
        Capture fine = Capture.of("doctor", url);
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .containsPattern(
                        "ok       127.0.0.1:\\d+, 127.0.0.1:\\d+, 127.0.0.1:\\d+: it keeps nothing over a restart")
                .contains("the connection is encrypted; its certificate is good until 2");

        nodes.get(1).ask("CONFIG", "SET", "save", "60 1");
        Capture bad = Capture.of("doctor", url);
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out())
                .contains(
                        "DANGER   127.0.0.1:" + nodes.get(1).port() + ": appendonly is off: a restart brings an older");

        String twice = "redlock+tls://127.0.0.1:%1$d,localhost:%1$d,127.0.0.1:%2$d"
                .formatted(nodes.get(0).port(), nodes.get(2).port());
        assertThat(Capture.of("doctor", twice + tls + "&fresh=true").out())
                .contains("it is the same server as 127.0.0.1:" + nodes.get(0).port());

        Capture one = Capture.of("doctor", "rediss://127.0.0.1:" + nodes.get(0).port() + tls);
        assertThat(one.out()).contains("the connection is encrypted", "DANGER   appendonly is off", "[persistence]");
    }

    @Test
    void databasesSayHowTheyWrite() throws InterruptedException {
        Capture postgres = Capture.of("doctor", Postgres.given(RIG).jdbcUrlWithCredentials());
        assertThat(postgres.out())
                .contains("PostgreSQL ", "fsync is ", "synchronous_commit is ", "no pooler", "its clock is as ours")
                .contains("one server answers at this address");
        Capture mariaDb = Capture.of("doctor", MariaDb.given(RIG).jdbcUrlWithCredentials());
        assertThat(mariaDb.out())
                .contains("MariaDB ", "innodb_flush_log_at_trx_commit is ", "tables are made by InnoDB")
                .contains("its clock is as ours", "one server answers at this address")
                .doesNotContain("cannot be read");
    }

    @Test
    void anEtcdSaysWhetherItsDiskAndItsSpaceAreGood() throws InterruptedException {
        EtcdNode etcd = EtcdNode.start(RIG, EtcdSettings.defaults().withFlag("--quota-backend-bytes=20000000"));
        Capture fine = Capture.of("doctor", "etcd://" + etcd.address() + "/locks");
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains("etcd " + etcd.version(), "it waits for its disk", "caution  the cluster has one member")
                .contains("caution  it lets us in without a password");

        etcd.ask("/v3/maintenance/alarm", "{\"action\":\"ACTIVATE\",\"alarm\":\"NOSPACE\"}");
        Capture full = Capture.of("doctor", "etcd://" + etcd.address() + "/locks");
        assertThat(full.code()).isEqualTo(74);
        assertThat(full.out()).contains("DANGER   etcd has the alarm NOSPACE", "etcdctl alarm disarm");
        assertThat(full.err()).hasLineCount(1);
    }

    @Test
    void anEtcdBehindTlsAndAPasswordIsLookedAtToo() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(RIG);
        EtcdNode etcd = EtcdNode.start(RIG, EtcdSettings.defaults().withTls(certificates, false));
        Capture capture =
                Capture.of("doctor", "etcd+tls://" + etcd.address() + "/locks#ca=" + certificates.authorityFile());

        assertThat(capture.code()).as(capture.out() + capture.err()).isZero();
        assertThat(capture.out()).contains("the connection is encrypted", "it waits for its disk");
    }

    @Test
    void zooKeepersThatAreNotOneEnsembleAreDangerous() throws InterruptedException {
        ZooKeeperNode first =
                ZooKeeperNode.start(RIG, ZooKeeperSettings.defaults().withSynchronousWrites());
        Capture fine = Capture.of("doctor", "zookeeper://" + first.address() + "/locks");
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains(
                        "ZooKeeper 3.", "it waits for its disk", "caution  the server stands alone", "is within what");

        ZooKeeperNode second = ZooKeeperNode.start(RIG);
        Capture bad = Capture.of(
                "doctor", "zookeeper://" + first.address() + "," + second.address() + "/locks#session=100ms");
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out())
                .contains("DANGER   the URL names servers that are not one ensemble")
                .contains("DANGER   " + second.address() + ": it does not wait for its disk")
                .contains("where 100 ms are asked for");
    }

    @Test
    void aStoreThatIsNotThereOrExcludesNobodyIsSaid() {
        Capture missing = Capture.of("doctor", "redis://127.0.0.1:1");
        assertThat(missing.code()).isEqualTo(74);
        assertThat(missing.out()).contains("unknown  the server does not answer");
        assertThat(Capture.of("doctor", "redis:/:secret@h:x").code()).isEqualTo(64);
        assertThat(Capture.of("doctor", "memory:").code()).isEqualTo(64);
        assertThat(Capture.of("doctor", "--url", "file:a", "file:b").err()).contains("the store is named twice");
        Capture noFile = Capture.of("doctor", "rediss://127.0.0.1:1#ca=missing.pem");
        assertThat(noFile.code()).isEqualTo(64);
        assertThat(noFile.err()).hasLineCount(1).contains("'ca'");
        Capture inMemory = Capture.of("doctor", "jdbc:h2:mem:doctor");
        assertThat(inMemory.code()).as(inMemory.out() + inMemory.err()).isEqualTo(1);
        assertThat(inMemory.out()).contains("[memory]");
    }
}
