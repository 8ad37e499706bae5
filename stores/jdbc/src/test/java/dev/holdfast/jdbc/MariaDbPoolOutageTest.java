package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of the strategy lease on MariaDB, with connections of a pool that the program has lent. */
@Tag("full")
final class MariaDbPoolOutageTest extends DatabaseOutageContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @BeforeAll
    static void startServer() throws InterruptedException {
        startMariaDbForPools(RIG);
    }
}
