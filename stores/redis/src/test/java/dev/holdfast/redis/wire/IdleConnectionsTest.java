package dev.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.BareClient;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that nobody has used for long, by a clock that is put forward. */
final class IdleConnectionsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void longIdleConnectionIsAskedForASignOfLifeBeforeItIsUsed() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        FaultProxy network = FaultProxy.before(rig, redis.port());
        AtomicLong ahead = new AtomicLong();
        MonotonicClock clock = () -> BareClient.nanos() + ahead.get();
        String url = "redis://127.0.0.1:" + network.port();
        // Its heartbeats are for another server.
        try (BareClient client = new BareClient(RedisNode.start(rig).url())) {
            StoreContext context = new StoreContext(
                    "idle",
                    clock,
                    client.context().scheduler(),
                    client.context().ioExecutor(),
                    TIMEOUT,
                    client.context().random(),
                    client);
            StoreUri uri = StoreUri.parse(url, Map.of(), null);
            ConnectionSettings settings =
                    ConnectionSettings.of(Address.of(uri), Settings.of(uri, context), uri, Access.BY_URL);
            OverdueWatch watch = new OverdueWatch(context, settings.lookInterval());
            try (PooledServer server = new PooledServer(
                    new HostAndPort("127.0.0.1", network.port()), settings, clock, new Clocks(clock), watch)) {
                ask(server, clock);
                long opened = network.accepted();
                redis.ask("CONFIG", "RESETSTAT");
                ask(server, clock);
                assertThat(commands(redis)).as("in use").doesNotContain("cmdstat_ping");

                ahead.addAndGet(Duration.ofSeconds(31).toNanos());
                ask(server, clock);
                assertThat(commands(redis)).as("long idle").contains("cmdstat_ping");
                assertThat(network.accepted()).as("it lives, so it is used").isEqualTo(opened);

                network.abandon();
                ahead.addAndGet(Duration.ofSeconds(31).toNanos());
                ask(server, clock);
                assertThat(network.accepted())
                        .as("it was cut in silence, so the call is made on another one")
                        .isEqualTo(opened + 1);
            } finally {
                watch.close();
            }
        }
    }

    private static String commands(RedisNode redis) {
        return String.valueOf(redis.ask("INFO", "commandstats"));
    }

    private static void ask(PooledServer server, MonotonicClock clock) {
        Call question = Call.of(Command.ROLE);
        server.carry(new Exchange(List.of(question), null, Deadline.in(clock, TIMEOUT)));
        assertThat(question.failure()).isNull();
    }
}
