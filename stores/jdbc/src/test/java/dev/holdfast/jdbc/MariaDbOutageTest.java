package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of the strategy lease on MariaDB. */
@Tag("full")
final class MariaDbOutageTest extends DatabaseOutageContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @BeforeAll
    static void startServer() throws InterruptedException {
        startMariaDb(RIG, LEASE);
    }
}
