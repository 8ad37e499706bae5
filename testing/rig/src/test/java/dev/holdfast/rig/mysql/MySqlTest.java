package dev.holdfast.rig.mysql;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.Access;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.database.DatabaseServerCases;
import org.junit.jupiter.api.Tag;

@Tag("full")
final class MySqlTest extends DatabaseServerCases {
    MySqlTest() {
        super("8.0.", "SELECT VERSION()", "SELECT @@max_connections");
    }

    @Override
    protected DatabaseServer start(Rig in, String... options) throws InterruptedException {
        return MySql.start(in, options);
    }

    @Override
    protected Access given(Rig in) throws InterruptedException {
        return MySql.given(in);
    }
}
