package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mariadb.MariaDb;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The two jobs on MariaDB. */
@Tag("full")
final class MariaDbTwoJobsTest extends TwoJobsCases {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void startServer() throws InterruptedException {
        url = MariaDb.given(RIG).jdbcUrlWithCredentials();
    }

    @Override
    String url() {
        return url;
    }
}
