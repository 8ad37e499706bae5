package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The strategy row where every transaction gets another session, which served somebody else a moment ago. */
final class TransactionPoolerTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final DialectServers SERVERS = new DialectServers();

    private final TestContext surroundings = new TestContext();
    private TransactionPooler pooler;
    private LockStore store;

    @BeforeEach
    void open() throws SQLException, InterruptedException {
        pooler = new TransactionPooler(SERVERS, Dialect.POSTGRESQL, 4);
        store = JdbcStore.on(pooler.dataSource()).withStrategy(Strategy.ROW).open(surroundings.context());
    }

    @AfterEach
    void end() throws SQLException {
        store.close();
        pooler.close();
        surroundings.close();
    }

    @Test
    void rowIsLockedAndGivenBackAgainAndAgain() throws SQLException {
        long last = 0;
        for (int i = 0; i < 10; i++) {
            Grant mine = take("pooled");
            assertThat(mine.epoch()).isGreaterThan(last);
            assertThat(store.tryAcquire(TestContext.claim(LEASE, "pooled")))
                    .isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(store.renew(List.of(mine))).singleElement().isInstanceOf(RenewOutcome.Renewed.class);
            assertThat(store.release(List.of(mine))).containsExactly(ReleaseOutcome.RELEASED);
            last = mine.epoch();
        }
        assertThat(pooler.allLive()).as("sessions of others").isTrue();
    }

    @Test
    void sessionThatHasGoneToSomebodyElseIsNotEnded() throws SQLException {
        Grant mine = take("lost answer");
        pooler.loseTheNextRollback();
        assertThat(store.release(List.of(mine))).singleElement().isInstanceOf(ReleaseOutcome.Unknown.class);

        assertThat(store.release(List.of(mine))).containsExactly(ReleaseOutcome.RELEASED);
        assertThat(pooler.allLive()).as("sessions of others").isTrue();
        store.release(List.of(take("lost answer")));
    }

    private Grant take(String name) {
        Claim claim = TestContext.claim(LEASE, name);
        AcquireOutcome outcome = store.tryAcquire(claim);
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants().get(0);
    }
}
