package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** What the strategies that keep a connection per lock say about a failover, without having met the server. */
final class SessionTraitsTest {
    private static final String MAY_REPEAT = "may repeat";

    @Test
    void onlyTokensFromASequenceMayRepeatAfterAFailover() {
        assertThat(failover("jdbc:postgresql://localhost:1/x#strategy=advisory"))
                .contains(MAY_REPEAT);
        assertThat(failover("jdbc:postgresql://localhost:1/x#strategy=row")).doesNotContain(MAY_REPEAT);
        assertThat(failover("jdbc:mariadb://localhost:1/x#strategy=advisory")).doesNotContain(MAY_REPEAT);
        assertThat(failover("jdbc:mysql://localhost:1/x#strategy=advisory")).doesNotContain(MAY_REPEAT);
    }

    @Test
    void dataSourceThatLeadsNowhereYetPromisesTheLess() {
        RawPool nowhere = new RawPool(
                "jdbc:postgresql://localhost:1/x", "nobody", "", true, Connection.TRANSACTION_READ_COMMITTED);
        try (Holdfast locks = Holdfast.builder()
                .store(JdbcStore.on(nowhere).withStrategy(Strategy.ADVISORY))
                .lazy(true)
                .build()) {
            assertThat(locks.traits().failover()).contains(MAY_REPEAT);
        }
    }

    private static String failover(String url) {
        try (Holdfast locks = Holdfast.builder().url(url).lazy(true).build()) {
            return locks.traits().failover();
        }
    }
}
