package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of the strategy lease on H2. */
@Tag("full")
final class H2OutageTest extends DatabaseOutageContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @BeforeAll
    static void startServer() throws SQLException {
        startH2(RIG, LEASE);
    }
}
