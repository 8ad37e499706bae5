package dev.holdfast.server;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.postgres.Postgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on PostgreSQL with leases. */
final class PostgresScenariosTest extends StoreScenarios {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void start() throws InterruptedException {
        url = Postgres.start(RIG).access().jdbcUrlWithCredentials();
    }

    @Override
    String url() {
        return url;
    }
}
