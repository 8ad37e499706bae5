package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import java.sql.SQLException;
import java.time.Duration;
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

    /** H2's driver makes two round trips of a statement, so a transaction over a slow network takes longer than elsewhere. */
    @Override
    public Duration commandTimeout() {
        return Duration.ofSeconds(2);
    }
}
