package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code doctor} says of real stores, and what it warns of. In this process: only what it finds is the subject. */
@Tag("processes")
class DoctorTest {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    @TempDir
    private Path directory;

    @Test
    void aPrivateDirectoryIsFineAndAPublicOneIsNot() throws IOException, InterruptedException {
        Capture fine = Capture.of("doctor", "file:" + directory.resolve("mine"));
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out())
                .contains("Promises\n", "  yes  locks between processes\n", "  ok       a round trip takes ")
                .contains("this user may take and release locks")
                .doesNotContain("DANGER");

        new ProcessBuilder("chmod", "777", directory.resolve("mine").toString())
                .start()
                .waitFor();
        Capture open = Capture.of("doctor", "file:" + directory.resolve("mine"));
        assertThat(open.code()).isEqualTo(1);
        assertThat(open.out()).contains("  DANGER   everybody on this machine may write", "chmod 2770");
    }

    @Test
    void aRedisThatEvictsAndForgetsIsDangerous() throws InterruptedException {
        RedisNode redis = RedisNode.start(
                RIG, RedisSettings.defaults().withPassword("geheim").withDurability());
        Capture fine = Capture.of("doctor", redis.url());
        assertThat(fine.code()).as(fine.out() + fine.err()).isZero();
        assertThat(fine.out()).contains("maxmemory-policy is noeviction", "appendfsync always", "  ok       version ");

        redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        redis.ask("CONFIG", "SET", "appendonly", "no");
        Capture bad = Capture.of("doctor", "--json", redis.url());
        assertThat(bad.code()).isEqualTo(1);
        assertThat(bad.out())
                .contains("\"level\":\"danger\"", "maxmemory-policy is allkeys-lru", "appendonly is off")
                .doesNotContain("geheim")
                .hasLineCount(1);
    }

    @Test
    void databasesSayHowTheyWrite() throws InterruptedException {
        Capture postgres = Capture.of("doctor", Postgres.given(RIG).jdbcUrlWithCredentials());
        assertThat(postgres.out()).contains("version PostgreSQL", "fsync is ", "synchronous_commit is ");
        Capture mariaDb = Capture.of("doctor", MariaDb.given(RIG).jdbcUrlWithCredentials());
        assertThat(mariaDb.out()).contains("version MariaDB", "innodb_flush_log_at_trx_commit is ");
    }

    @Test
    void whatIsNotLookedAtIsSaid() throws InterruptedException {
        Capture zooKeeper =
                Capture.of("doctor", "zookeeper://" + ZooKeeperNode.start(RIG).address() + "/locks");

        assertThat(zooKeeper.code()).as(zooKeeper.err()).isZero();
        assertThat(zooKeeper.out()).contains("unknown  the settings of this kind of store are not looked at");
    }

    @Test
    void aStoreThatIsNotThereEndsWith74() {
        assertThat(Capture.of("doctor", "redis://127.0.0.1:1").code()).isEqualTo(74);
        assertThat(Capture.of("doctor", "redis:/:secret@h:x").code()).isEqualTo(64);
    }
}
