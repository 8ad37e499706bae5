package dev.holdfast.rig.postgres;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.database.DatabaseServerCases;

final class PostgresTest extends DatabaseServerCases {
    PostgresTest() {
        super("18.", "SHOW server_version", "SHOW max_connections");
    }

    @Override
    protected DatabaseServer start(Rig in, String... options) throws InterruptedException {
        return Postgres.start(in, options);
    }

    @Override
    protected Access given(Rig in) throws InterruptedException {
        return Postgres.given(in);
    }
}
