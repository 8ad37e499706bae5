package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of the lease strategy on PostgreSQL. */
@Tag("full")
final class PostgresOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    private static DatabaseOutages outages;

    @BeforeAll
    static void startServer() throws InterruptedException {
        outages = new DatabaseOutages(RIG, Postgres.start(RIG), "");
    }

    @Override
    public String url() {
        return outages.url();
    }

    @Override
    public Outages outages() {
        return outages;
    }

    @Override
    public Duration commandTimeout() {
        return Duration.ofSeconds(1);
    }
}
