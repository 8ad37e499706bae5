package dev.holdfast.jdbc;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;

/** Faults on PostgreSQL. */
final class PostgresFaultTest extends FaultCases {
    @Override
    DatabaseServer start(Rig place) throws InterruptedException {
        return Postgres.start(place);
    }

    @Override
    String acquireStatement() {
        return "INSERT INTO holdfast_lock";
    }
}
