package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mariadb.MariaDb;
import org.junit.jupiter.api.Tag;

/** Faults on MariaDB. */
@Tag("full")
final class MariaDbFaultTest extends FaultCases {
    @Override
    DatabaseServer start(Rig place) throws InterruptedException {
        return MariaDb.start(place);
    }

    @Override
    String acquireStatement() {
        return "INSERT INTO holdfast_lock";
    }
}
