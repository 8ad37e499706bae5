package dev.holdfast.rig.mariadb;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.database.DatabaseServerCases;

final class MariaDbTest extends DatabaseServerCases {
    MariaDbTest() {
        super("11.4.", "SELECT VERSION()", "SELECT @@max_connections");
    }

    @Override
    protected DatabaseServer start(Rig in, String... options) throws InterruptedException {
        return MariaDb.start(in, options);
    }

    @Override
    protected Access given(Rig in) throws InterruptedException {
        return MariaDb.given(in);
    }
}
