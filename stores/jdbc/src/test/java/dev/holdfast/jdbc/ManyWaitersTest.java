package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.database.DatabaseServer;
import dev.holdfast.rig.postgres.Postgres;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many wait for locks that each keep a connection, over a slow network. */
final class ManyWaitersTest {
    private static final Duration COMMAND = Duration.ofSeconds(2);
    private static final Duration DELAY = Duration.ofMillis(10);
    private static final int MANY = 60;

    @RegisterExtension
    static final Rig RIG = new Rig();

    /** To ask for all of them takes several command timeouts. */
    @Test
    void claimsThatArePolledTogetherAreAnsweredAsFarAsThereIsTime() throws InterruptedException {
        DatabaseServer server = Postgres.start(RIG);
        FaultProxy cable = FaultProxy.before(RIG, server.port());
        String url = server.accessThrough(cable.port()).jdbcUrlWithCredentials() + "#strategy=row&connections=" + MANY;
        List<Claim> open = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            open.add(TestContext.claim(Duration.ofSeconds(30), "many/" + i).queued(true));
        }
        try (TestContext context = new TestContext();
                LockStore store =
                        new JdbcStoreProvider().open(StoreUri.parse(url, Map.of(), null), context.within(COMMAND))) {
            store.ping();
            cable.delay(DELAY);
            for (int calls = 0; !open.isEmpty(); calls++) {
                List<AcquireOutcome> outcomes = store.poll(open);

                assertThat(outcomes).hasSameSizeAs(open);
                assertThat(calls).isLessThan(MANY);
                List<Claim> rest = new ArrayList<>();
                for (int i = 0; i < outcomes.size(); i++) {
                    if (!(outcomes.get(i) instanceof AcquireOutcome.Granted)) {
                        rest.add(open.get(i));
                    }
                }
                assertThat(rest).as("what is still open").hasSizeLessThan(open.size());
                open = rest;
            }
            cable.heal();
        }
    }
}
