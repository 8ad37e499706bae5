package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.rig.postgres.Postgres;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** That locks survive a restart is promised only where the server waits for its disk. */
final class RestartTraitsTest {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @Test
    void postgresIsAskedWhetherItWaitsForItsDisk() throws InterruptedException {
        String url =
                Postgres.start(RIG, "fsync=on", "full_page_writes=on").access().jdbcUrlWithCredentials();
        assertThat(survives(url)).isTrue();
        assertThat(survives(url + "&options=-c%20synchronous_commit%3Doff")).isFalse();
        assertThat(survives(Postgres.start(RIG, "fsync=off").access().jdbcUrlWithCredentials()))
                .isFalse();
    }

    @Test
    void mySqlAndMariaDbAreAskedWhetherTheyWaitForTheirDisk() throws InterruptedException {
        String waits = "innodb_flush_log_at_trx_commit=1";
        String doesNot = "innodb_flush_log_at_trx_commit=2";
        assertThat(survives(MariaDb.start(RIG, waits).access().jdbcUrlWithCredentials()))
                .isTrue();
        assertThat(survives(MariaDb.start(RIG, doesNot).access().jdbcUrlWithCredentials()))
                .isFalse();
        assertThat(survives(MySql.start(RIG, waits, "sync_binlog=1").access().jdbcUrlWithCredentials()))
                .isTrue();
        assertThat(survives(MySql.start(RIG, doesNot).access().jdbcUrlWithCredentials()))
                .isFalse();
    }

    @Test
    void h2WritesLaterUnlessItIsToldNotTo(@TempDir Path directory) {
        String url = "jdbc:h2:file:" + directory.resolve("locks");
        assertThat(survives(url)).isFalse();
        assertThat(survives(url + ";WRITE_DELAY=0")).isTrue();
        assertThat(survives("jdbc:h2:mem:;WRITE_DELAY=0")).isFalse();
    }

    private static boolean survives(String url) {
        try (Holdfast locks = Holdfast.connect(url)) {
            return locks.traits().promises(Promise.SURVIVES_RESTART);
        }
    }
}
