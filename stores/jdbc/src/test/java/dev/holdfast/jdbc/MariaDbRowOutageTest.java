package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of the strategy row on MariaDB. */
@Tag("full")
final class MariaDbRowOutageTest extends DatabaseOutageContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @BeforeAll
    static void startServer() throws InterruptedException {
        startMariaDb(RIG, ROW);
    }
}
