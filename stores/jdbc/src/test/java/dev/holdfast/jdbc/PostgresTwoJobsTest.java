package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.postgres.Postgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The two jobs on PostgreSQL. */
final class PostgresTwoJobsTest extends TwoJobsCases {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void startServer() throws InterruptedException {
        url = Postgres.given(RIG).jdbcUrlWithCredentials();
    }

    @Override
    String url() {
        return url;
    }
}
