package dev.holdfast.redis.lent;

import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Clocks;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Listening;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.spi.ServerClock;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The master behind a client that follows sentinels. Such a client lends no connections, so each command is one round trip
 * through the client itself. Thread-safe.
 */
final class SentinelClientServer implements Server {
    private static final String WHERE = "the given client's master";
    private static final String NOWHERE = "?";

    /** How long a server may take to confirm the end of a subscription. */
    private static final Duration GOODBYE = Duration.ofMillis(100);

    private final UnifiedJedis client;
    private final Clocks clocks;
    private final Aside aside;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    SentinelClientServer(UnifiedJedis client, Clocks clocks, Aside aside) {
        this.client = client;
        this.clocks = clocks;
        this.aside = aside;
    }

    @Override
    public void carry(Exchange exchange) {
        aside.carry(exchange, () -> ask(exchange), WHERE);
    }

    private void ask(Exchange exchange) {
        try {
            Exchange.carry(new ServerConnection(new Commands(exchange), NOWHERE, clocks.unknown()), List.of(exchange));
        } catch (BrokenConnection broken) {
            boolean late = broken.getCause() instanceof SocketTimeoutException;
            throw BrokenExchange.afterSending("the connection to " + WHERE + " broke", !late, broken);
        }
    }

    @Override
    public Listening listen() {
        Subscription subscription = new Subscription(clocks.unknown());
        subscriptions.add(subscription);
        return subscription;
    }

    @Override
    public void forgetIdle() {
        // The client finds out.
    }

    @Override
    public String where() {
        return WHERE;
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::cut);
    }

    /** Commands that wait to be sent one by one. */
    private final class Commands implements Connection {
        private final Exchange exchange;
        private final ArrayDeque<Runnable> pending = new ArrayDeque<>();
        private @Nullable Object answer;

        Commands(Exchange exchange) {
            this.exchange = exchange;
        }

        @Override
        @SuppressWarnings("deprecation") // Its successor is not in all versions.
        public void send(Command verb, byte[]... arguments) {
            pending.add(() -> answer = client.sendCommand(verb::word, arguments));
        }

        @Override
        public @Nullable Object receive() {
            if (exchange.isOver()) {
                throw new BrokenConnection(new TimeoutException("nobody waits for the answer any more"));
            }
            try {
                pending.remove().run();
                return answer;
            } catch (JedisDataException refused) {
                return ServerRefusal.of(String.valueOf(refused.getMessage()));
            } catch (JedisConnectionException broken) {
                throw JedisConnection.brokenBy(broken);
            } catch (JedisException noConnection) {
                throw new BrokenConnection(noConnection);
            }
        }

        @Override
        public void cut() {
            // The connections are the client's.
        }
    }

    /**
     * Keeps a connection of the client for messages. The client lends it to a thread that it blocks, and does not let it be
     * cut: a subscription that does not end when it is asked to is left to that thread, and forgotten.
     */
    private final class Subscription implements Listening {
        private final ServerClock clock;

        /** Ends with the subscription, or when it is given up. */
        private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

        private volatile @Nullable JedisMessages messages;

        private Subscription(ServerClock clock) {
            this.clock = clock;
        }

        @Override
        public void listen(byte[] channel, Listener listener) {
            JedisMessages mine = new JedisMessages(channel, listener);
            messages = mine;
            Thread reader =
                    new Thread(() -> read(mine, channel), Thread.currentThread().getName() + "-reader");
            reader.setDaemon(true);
            reader.start();
            try {
                end.join();
            } catch (CompletionException ended) {
                if (ended.getCause() instanceof JedisDataException refused) {
                    throw ServerRefusal.of(String.valueOf(refused.getMessage()));
                }
                throw BrokenExchange.afterSending("the connection to " + WHERE + " broke", false, ended);
            }
        }

        private void read(JedisMessages mine, byte[] channel) {
            try {
                client.subscribe(mine, channel);
                end.complete(null);
            } catch (RuntimeException | Error ended) {
                end.completeExceptionally(ended);
            }
        }

        @Override
        public void ping() {
            JedisMessages mine = messages;
            if (mine != null) {
                mine.askForSign();
            }
        }

        @Override
        public ServerClock clock() {
            return clock;
        }

        @Override
        public void cut() {
            JedisMessages mine = messages;
            if (mine == null) {
                end.complete(null);
                return;
            }
            end.completeOnTimeout(null, GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
            try {
                mine.leave();
            } catch (JedisException broken) {
                end.completeExceptionally(broken);
            }
        }

        @Override
        public void close() {
            cut();
            subscriptions.remove(this);
        }
    }
}
