package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreUri;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A statement of PostgreSQL takes 65,535 values, and there may be more names. */
final class ManyNamesTest {
    private static final int MANY = 70_000;

    private static final DialectServers SERVERS = new DialectServers();

    @Test
    void moreNamesAreListedThanAStatementTakes() throws SQLException, InterruptedException {
        String url = SERVERS.url(Dialect.POSTGRESQL) + "#prefix=many_";
        try (TestContext context = new TestContext();
                LockStore store = new JdbcStoreProvider().open(StoreUri.parse(url, Map.of(), null), context.patient());
                Connection operator = SERVERS.connect(Dialect.POSTGRESQL)) {
            store.ping();
            Sql.tell(
                    operator,
                    "INSERT INTO many_lock (name, kind, capacity, owner, epoch, expires, lease, since, client,"
                            + " client_name, label, crowded) SELECT 'many/' || i, 0, 1, md5('owner' || i), i, "
                            + (1L << 50) + ", 30000000, 1, md5('client'), 'test', '', 0 FROM generate_series(1, " + MANY
                            + ") i");

            assertThat(store.list("many/", MANY + 1)).hasSize(MANY);
        }
    }
}
