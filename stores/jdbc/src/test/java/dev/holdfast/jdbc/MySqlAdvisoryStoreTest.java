package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.mysql.MySql;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The steps of the strategy advisory on MySQL. */
@Tag("full")
final class MySqlAdvisoryStoreTest extends StoreContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void startServer() throws InterruptedException {
        url = MySql.given(RIG).jdbcUrlWithCredentials() + "#strategy=advisory&connections=100";
    }

    @Override
    public String url() {
        return url;
    }
}
