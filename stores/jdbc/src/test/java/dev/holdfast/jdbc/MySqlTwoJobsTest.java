package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mysql.MySql;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The two jobs on MySQL. */
@Tag("full")
final class MySqlTwoJobsTest extends TwoJobsCases {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void startServer() throws InterruptedException {
        url = MySql.given(RIG).jdbcUrlWithCredentials();
    }

    @Override
    String url() {
        return url;
    }
}
