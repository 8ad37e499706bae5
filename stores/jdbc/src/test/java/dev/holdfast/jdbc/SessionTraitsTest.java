package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** What row and advisory locks promise of their tokens, also before anybody has connected. */
final class SessionTraitsTest {
    private static final String LARGER = "tokens of a promoted replica of PostgreSQL are larger";

    @Test
    void whatAFailoverDoesToTokensIsTold() {
        assertThat(failover("jdbc:postgresql://localhost:1/x#strategy=advisory"))
                .contains(LARGER);
        assertThat(failover("jdbc:mysql://localhost:1/x#strategy=row")).contains("a generation that the operator");
    }

    @Test
    void dataSourceThatLeadsNowhereYetPromisesTheLess() {
        RawPool nowhere = new RawPool(
                "jdbc:postgresql://localhost:1/x", "nobody", "", true, Connection.TRANSACTION_READ_COMMITTED);
        try (Holdfast locks = Holdfast.builder()
                .store(JdbcStore.on(nowhere).withStrategy(Strategy.ADVISORY))
                .lazy(true)
                .build()) {
            assertThat(locks.traits().failover()).contains(LARGER);
        }
    }

    private static String failover(String url) {
        try (Holdfast locks = Holdfast.builder().url(url).lazy(true).build()) {
            return locks.traits().failover();
        }
    }
}
