package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreFactory;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisSentinelClient;

/**
 * Faults behind a client that the program already has. That client may be as patient as it likes, and may be used up by the
 * program itself: no call of Holdfast waits for that.
 */
final class LentClientFaultsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** No answer is ever too late for a client of Jedis that is set up like this. */
    private static final JedisClientConfig PATIENT = DefaultJedisClientConfig.builder()
            .socketTimeoutMillis((int) Duration.ofHours(1).toMillis())
            .build();

    private static final int CONNECTIONS = 8;

    @RegisterExtension
    static final Rig rig = new Rig();

    private RedisNode redis;
    private FaultProxy network;
    private RedisClient client;

    @BeforeEach
    void start() throws InterruptedException {
        redis = RedisNode.start(rig);
        network = FaultProxy.before(rig, redis.port());
        client = RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", network.port()))
                .clientConfig(PATIENT)
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
    }

    @Test
    void callsEndInTimeWhileTheProgramUsesAllConnections() throws InterruptedException {
        try (Holdfast locks = lent(RedisStores.using(client))) {
            warmUp(locks);
            List<Connection> used = takeAll();

            isUnavailable(locks);
            isUnavailable(locks);
            used.forEach(Connection::close);
            assertThat(locks.lock("a").tryAcquire()).isPresent();
        }
        assertThat(client.getPool().getNumActive())
                .as("everything is given back")
                .isZero();
    }

    @Test
    @SuppressWarnings("deprecation") // Programs that have not moved on to RedisClient have such a pool.
    void callsEndInTimeWhileTheProgramUsesAllConnectionsOfItsPool() throws InterruptedException {
        JedisPoolConfig few = new JedisPoolConfig();
        few.setMaxTotal(2);
        try (JedisPool pool = new JedisPool(few, "127.0.0.1", redis.port());
                Holdfast locks = lent(RedisStores.using(pool))) {
            locks.ping();
            try (Jedis used = pool.getResource()) {
                isUnavailable(locks);
                assertThat(used.isConnected()).isTrue();
            }
            assertThat(locks.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void clientClosesWhileTheProgramUsesAllConnections() throws InterruptedException {
        List<Connection> used;
        try (Holdfast locks = lent(RedisStores.using(client))) {
            warmUp(locks);
            used = takeAll();
            CompletableFuture<Optional<Lease>> waiter = locks.lock("a").tryAcquireAsync(Duration.ofHours(1));
            assertThat(waiter).isNotDone();
        }
        await().untilAsserted(() -> assertThat(client.getPool().getNumWaiters()).isZero());
        used.forEach(Connection::close);
    }

    @Test
    void interruptWhileTheProgramUsesAllConnectionsIsNotLost() throws InterruptedException {
        try (Holdfast locks = lent(RedisStores.using(client))) {
            warmUp(locks);
            List<Connection> used = takeAll();
            CompletableFuture<Throwable> ended = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    locks.lock("a").acquire();
                    ended.complete(new AssertionError("acquired"));
                } catch (InterruptedException | RuntimeException why) {
                    ended.complete(why);
                }
            });
            waiter.start();
            await().until(() ->
                    waiter.getState() == Thread.State.TIMED_WAITING || waiter.getState() == Thread.State.WAITING);
            waiter.interrupt();

            assertThat(Outcomes.of(ended)).isInstanceOf(InterruptedException.class);
            used.forEach(Connection::close);
        }
    }

    @Test
    void callsEndInTimeWhileTheServerIsSilentHoweverPatientTheClientIs() throws InterruptedException {
        try (Holdfast locks = lent(RedisStores.using(client))) {
            Lease held = locks.lock("held").acquire();
            warmUp(locks);
            network.blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);

            for (int i = 0; i < CONNECTIONS; i++) {
                isUnavailable(locks);
            }
            CompletableFuture<Boolean> released = held.releaseAsync();
            assertThat(Outcomes.of(released)).isTrue();
            network.heal();
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> locks.lock("held").tryAcquire().isPresent());
        }
    }

    /** They are of the same age, so they are not tried one after another. */
    @Test
    void connectionsThatWereCutInSilenceCostOneTimeoutTogether() throws InterruptedException {
        try (Holdfast locks = lent(RedisStores.using(client))) {
            warmUp(locks);
            network.abandon();

            isUnavailable(locks);
            assertThat(locks.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void connectionsThatDidNotSurviveARestartCostNoCall() throws InterruptedException {
        try (Holdfast locks = lent(RedisStores.using(client))) {
            warmUp(locks);
            redis.restart();

            assertThat(locks.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void callsThroughAClientOfSentinelEndInTimeWhileTheMasterIsSilent() throws InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        HostAndPort sentinel =
                new HostAndPort("127.0.0.1", group.sentinels().get(0).port());
        try (RedisSentinelClient sentinels = RedisSentinelClient.builder()
                        .masterName(group.masterName())
                        .sentinels(Set.of(sentinel))
                        .clientConfig(PATIENT)
                        .build();
                Holdfast locks = lent(RedisStores.using(sentinels))) {
            locks.lock("warm").acquire().close();
            RedisNode master = group.master();
            master.pause();
            try {
                isUnavailable(locks);
                isUnavailable(locks);
            } finally {
                master.resume();
            }
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
                    .until(() -> locks.lock("a").tryAcquire().isPresent());
        }
    }

    private static Holdfast lent(StoreFactory store) {
        return Holdfast.builder().store(store).commandTimeout(TIMEOUT).build();
    }

    /** As many connections as there may be. */
    private void warmUp(Holdfast locks) throws InterruptedException {
        locks.ping();
        List<Connection> all = takeAll();
        all.forEach(connection -> {
            connection.ping();
            connection.close();
        });
        assertThat(client.getPool().getNumIdle()).isEqualTo(CONNECTIONS - 1);
    }

    /** All but the one for messages. */
    private List<Connection> takeAll() {
        List<Connection> taken = new ArrayList<>();
        while (taken.size() < CONNECTIONS - 1) {
            taken.add(client.getPool().getResource());
        }
        return taken;
    }

    /** On a thread of its own, because a call that never ends shall not be the end of the test. */
    private static void isUnavailable(Holdfast locks) throws InterruptedException {
        CompletableFuture<Boolean> call =
                CompletableFuture.supplyAsync(() -> locks.lock("a").tryAcquire().isPresent());
        assertThatThrownBy(() -> Outcomes.of(call)).hasCauseInstanceOf(StoreUnavailableException.class);
    }
}
