package dev.holdfast.server;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.postgres.Postgres;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on rows that sessions of PostgreSQL lock. */
@Tag("full")
final class PostgresRowScenariosTest extends StoreScenarios {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void start() throws InterruptedException {
        url = Postgres.start(RIG).access().jdbcUrlWithCredentials() + "#strategy=row";
    }

    @Override
    String url() {
        return url;
    }
}
