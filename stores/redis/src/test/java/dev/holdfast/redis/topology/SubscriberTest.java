package dev.holdfast.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.Address;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.OverdueWatch;
import dev.holdfast.redis.wire.PooledServer;
import dev.holdfast.redis.wire.Settings;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreUri;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The thread that listens, and what may happen to it. */
final class SubscriberTest {
    private static final String CHANNEL = "a channel";

    @RegisterExtension
    static final Rig rig = new Rig();

    /** By an error that nobody is prepared for. */
    @Test
    void threadThatDiesIsReplaced() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        Hearing hearing = new Hearing();
        StoreUri uri = StoreUri.parse("redis://127.0.0.1:" + redis.port(), Map.of(), null);
        // Its own subscription is at another server.
        try (BareClient client = new BareClient(RedisNode.start(rig).url())) {
            StoreContext context = client.context();
            ConnectionSettings settings =
                    ConnectionSettings.of(Address.of(uri), Settings.of(uri, context), uri, Access.BY_URL);
            OverdueWatch watch = new OverdueWatch(context, settings.lookInterval());
            PooledServer server = new PooledServer(
                    new HostAndPort("127.0.0.1", redis.port()),
                    settings,
                    context.clock(),
                    new Clocks(context.clock()),
                    watch);
            Subscriber subscriber = new Subscriber(new OneServer(server), context, CHANNEL, hearing);
            subscriber.open();
            try {
                await().until(() -> hearing.subscriptions.get() == 1);
                redis.ask("PUBLISH", CHANNEL, "die");
                await().dontCatchUncaughtExceptions().until(() -> hearing.victims.size() == 1);
                Thread victim = hearing.victims.remove();
                await().dontCatchUncaughtExceptions().until(() -> !victim.isAlive());

                await().until(() -> hearing.subscriptions.get() == 2);
                assertThat(redis.ask("PUBLISH", CHANNEL, "live")).isEqualTo(1L);
                await().until(() -> hearing.heard.contains("live"));
            } finally {
                subscriber.close();
                server.close();
                subscriber.awaitEnd();
                watch.close();
            }
        }
    }

    private static final class Hearing implements Subscriber.Listener {
        private final AtomicInteger subscriptions = new AtomicInteger();
        private final Queue<Thread> victims = new ConcurrentLinkedQueue<>();
        private final Queue<String> heard = new ConcurrentLinkedQueue<>();

        @Override
        public void listening() {
            subscriptions.incrementAndGet();
        }

        @Override
        public void heard(byte[] message, ServerClock clock) {
            String said = new String(message, StandardCharsets.UTF_8);
            if (said.equals("die")) {
                victims.add(Thread.currentThread());
                throw new LinkageError("the test wants it");
            }
            heard.add(said);
        }
    }
}
