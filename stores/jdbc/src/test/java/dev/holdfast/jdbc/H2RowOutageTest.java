package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of the strategy row on H2. */
@Tag("full")
final class H2RowOutageTest extends DatabaseOutageContract {
    @RegisterExtension
    static final Rig RIG = new Rig();

    @BeforeAll
    static void startServer() throws SQLException {
        startH2(RIG, ROW);
    }
}
