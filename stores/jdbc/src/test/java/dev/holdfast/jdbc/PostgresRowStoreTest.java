package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The steps of the strategy row on PostgreSQL. */
final class PostgresRowStoreTest extends StoreContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void startServer() throws InterruptedException {
        url = Postgres.given(RIG).jdbcUrlWithCredentials() + "#strategy=row&connections=100";
    }

    @Override
    public String url() {
        return url;
    }
}
