package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.jdbc.dialect.Dialect;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** URLs that name several servers, as the page for production has them: when the first is gone, the next one serves. */
final class FailoverUrlTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern PORT = Pattern.compile("//[^/:]+:(\\d+)/");

    @RegisterExtension
    static final Rig RIG = new Rig();

    private static final DialectServers SERVERS = new DialectServers();

    static Stream<Arguments> everything() {
        return Stream.of(Dialect.POSTGRESQL, Dialect.MARIADB, Dialect.MYSQL)
                .flatMap(dialect -> Stream.of("lease", "row").map(strategy -> Arguments.of(dialect, strategy)));
    }

    @ParameterizedTest
    @MethodSource("everything")
    void nextServerOfTheUrlServesWhenTheFirstIsGone(Dialect dialect, String strategy) throws InterruptedException {
        String url = SERVERS.url(dialect);
        Matcher port = PORT.matcher(url);
        assertThat(port.find()).isTrue();
        int server = Integer.parseInt(port.group(1));
        FaultProxy first = FaultProxy.before(RIG, server);
        FaultProxy second = FaultProxy.before(RIG, server);
        String hosts = "//127.0.0.1:" + first.port() + ",127.0.0.1:" + second.port() + "/";
        String both = modeOf(dialect, PORT.matcher(url).replaceFirst(hosts));
        try (Holdfast locks = Holdfast.connect(both + "#strategy=" + strategy)) {
            Lease lease = locks.lock("before/" + strategy).acquire();
            assertThat(first.accepted()).isPositive();
            assertThat(second.accepted()).isZero();
            first.refuse();
            first.cut();

            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> {
                        Optional<Lease> next = locks.lock("after/" + strategy).tryAcquire();
                        next.ifPresent(Lease::release);
                        return next.isPresent();
                    });
            assertThat(second.accepted()).isPositive();
            if (strategy.equals("lease")) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(lease.release()).isTrue();
            } else {
                Awaitility.await().atMost(PATIENCE).until(() -> !lease.isHeld());
            }
        }
    }

    private static String modeOf(Dialect dialect, String url) {
        return switch (dialect) {
            case POSTGRESQL -> url + "&targetServerType=primary";
            case MARIADB -> url.replaceFirst("jdbc:mariadb:", "jdbc:mariadb:sequential:");
            case MYSQL, H2 -> url;
        };
    }
}
