package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.mysql.MySql;
import org.junit.jupiter.api.Tag;

/** Faults on MySQL. */
@Tag("full")
final class MySqlFaultTest extends FaultCases {
    @Override
    DatabaseServer start(Rig place) throws InterruptedException {
        return MySql.start(place);
    }

    @Override
    String acquireStatement() {
        return "INSERT INTO holdfast_lock";
    }
}
