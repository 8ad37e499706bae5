package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.tck.LockStoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Everything that a program sees, of the lease strategy on PostgreSQL. */
@Tag("full")
final class PostgresLockTest extends LockStoreContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void startServer() throws InterruptedException {
        url = Postgres.given(RIG).jdbcUrlWithCredentials();
    }

    @Override
    public String url() {
        return url;
    }
}
