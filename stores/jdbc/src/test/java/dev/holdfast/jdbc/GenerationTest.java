package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where servers do not count their promotions, the operator does. */
final class GenerationTest {
    private static final long HOUR_MICROS = Duration.ofHours(1).toNanos() / 1_000;

    private static final DialectServers SERVERS = new DialectServers();

    @ParameterizedTest
    @EnumSource
    void eachGenerationPutsTokensAnHourAheadAndOneThatIsSetBackDoesNot(Dialect dialect) throws InterruptedException {
        for (String strategy : List.of("lease", "row")) {
            String url = SERVERS.url(dialect) + "#prefix=generation_" + strategy + "_&strategy=" + strategy;
            long first = token(url);
            long second = token(url + "&generation=1");

            assertThat(second).as(strategy).isGreaterThan(first + Grant.token(HOUR_MICROS, 0));
            assertThat(token(url)).as("set back").isGreaterThan(second);
        }
    }

    private static long token(String url) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url);
                Lease lease = locks.lock("counted").acquire()) {
            return lease.token();
        }
    }
}
