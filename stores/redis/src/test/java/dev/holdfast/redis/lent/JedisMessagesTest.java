package dev.holdfast.redis.lent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;

/** A subscription on a connection of Jedis. */
final class JedisMessagesTest {
    private static final int SIGNS = 1_000;
    private static final JedisClientConfig THIRD_VERSION =
            DefaultJedisClientConfig.builder().resp3().build();

    @RegisterExtension
    static final Rig rig = new Rig();

    /** Jedis has ended subscriptions where the answer to its own question came at once. */
    @Test
    void subscriptionOutlivesAnyNumberOfSignsOfLife() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        byte[] channel = Keys.bytes("a channel");
        Heard heard = new Heard();
        JedisMessages messages = new JedisMessages(channel, heard);
        try (Connection connection = new Connection(new HostAndPort("127.0.0.1", redis.port()), THIRD_VERSION)) {
            CompletableFuture<Void> end = CompletableFuture.runAsync(() -> messages.proceed(connection, channel));
            await().until(() -> heard.subscriptions.get() == 1);
            end.whenComplete((none, why) -> heard.signs.release());
            for (int i = 1; i <= SIGNS; i++) {
                messages.askForSign();
                heard.signs.acquire();
                assertThat(end).as("the subscription, after sign %s", i).isNotDone();
            }
            assertThat(redis.ask("PUBLISH", "a channel", "news")).isEqualTo(1L);
            await().until(() -> heard.messages.get() == 1);

            messages.leave();
            await().until(end::isDone);
            assertThat(end).isCompleted();
            assertThat(heard.subscriptions).hasValue(1);
            assertThat(connection.ping()).as("nothing is left unread").isTrue();
        }
    }

    private static final class Heard implements Listening.Listener {
        private final AtomicInteger subscriptions = new AtomicInteger();
        private final Semaphore signs = new Semaphore(0);
        private final AtomicInteger messages = new AtomicInteger();

        @Override
        public void subscribed() {
            subscriptions.incrementAndGet();
        }

        @Override
        public void message(byte[] message) {
            messages.incrementAndGet();
        }

        @Override
        public void pong() {
            signs.release();
        }
    }
}
