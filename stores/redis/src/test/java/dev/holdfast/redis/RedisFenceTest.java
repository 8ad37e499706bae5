package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.fence.StaleTokenException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.JedisClusterCRC16;

/** The guard at the data: P7. */
final class RedisFenceTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    private Holdfast locks;
    private RedisClient client;

    @BeforeEach
    void connect() throws InterruptedException {
        if (redis == null) {
            redis = RedisNode.start(rig);
        }
        redis.ask("FLUSHALL");
        locks = Holdfast.connect(redis.url());
        client = RedisClient.create("127.0.0.1", redis.port());
    }

    @AfterEach
    void close() {
        locks.close();
        client.close();
    }

    @Test
    void holderReadsWhatItWrote() throws InterruptedException {
        RedisFence fence = RedisFence.around("orders", client, "order:42");
        try (Lease lease = locks.lock("orders").acquire()) {
            assertThat(fence.read(lease)).isEmpty();
            fence.write(lease, "shipped");
            assertThat(fence.read(lease)).contains("shipped");
        }
        assertThat(client.get("order:42")).isEqualTo("shipped");
    }

    @Test
    void holderThatWasSucceededIsRefusedFromTheFirstReadOfItsSuccessorOn() throws InterruptedException {
        RedisFence fence = RedisFence.around("orders", client, "order:42");
        Lease stale = locks.lock("orders").acquire();
        fence.write(stale, "old");
        locks.evict("orders", "test");
        Lease next = locks.lock("orders").acquire();
        assertThat(fence.read(next)).contains("old");

        assertThatThrownBy(() -> fence.write(stale, "stale"))
                .isInstanceOfSatisfying(StaleTokenException.class, refused -> {
                    assertThat(refused.token()).isEqualTo(stale.token());
                    assertThat(refused.largestSeen()).isEqualTo(next.token());
                });
        assertThatThrownBy(() -> fence.read(stale)).isInstanceOf(StaleTokenException.class);
        assertThat(client.get("order:42")).isEqualTo("old");
    }

    @Test
    void tokensThatDifferInTheLastBitAreToldApart() {
        RedisFence fence = RedisFence.around("orders", client, "order:42");
        long large = Long.MAX_VALUE - 1;
        fence.write(lease(large), "first");
        fence.write(lease(large + 1), "second");

        assertThatThrownBy(() -> fence.write(lease(large), "stale"))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        refused -> assertThat(refused.largestSeen()).isEqualTo(large + 1));
        assertThatThrownBy(() -> fence.write(lease(1), "staler")).isInstanceOf(StaleTokenException.class);
        fence.write(lease(large + 1), "third");
        assertThat(client.get("order:42")).isEqualTo("third");
    }

    @Test
    void scriptRunsOnlyForAFreshToken() {
        RedisFence fence = RedisFence.around("orders", client, "{order}:42");
        String script = "redis.call('SET', KEYS[2], ARGV[1]) return redis.call('INCRBY', KEYS[1], ARGV[2])";

        assertThat(fence.run(lease(5), script, List.of("{order}:log"), List.of("five", "2")))
                .isEqualTo(2L);
        assertThatThrownBy(() -> fence.run(lease(4), script, List.of("{order}:log"), List.of("four", "2")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(client.get("{order}:42")).isEqualTo("2");
        assertThat(client.get("{order}:log")).isEqualTo("five");
        assertThatThrownBy(() -> fence.run(lease(6), "return redis.call('NONESUCH')", List.of(), List.of()))
                .isInstanceOf(JedisDataException.class);
    }

    @Test
    void tokenIsKeptInTheSlotOfItsKey() {
        for (String key : List.of("order:42", "{order}:42", "a{b}c", "order")) {
            RedisFence.around("orders", client, key).write(lease(7), "x");
            Set<String> keys = client.keys("*holdfast-token");
            assertThat(keys)
                    .allSatisfy(token ->
                            assertThat(JedisClusterCRC16.getSlot(token)).isEqualTo(JedisClusterCRC16.getSlot(key)));
            redis.ask("FLUSHALL");
        }
    }

    @Test
    void keysWithBracesThatAreNoTagAreRefused() {
        for (String key : List.of("", "{", "}", "a}b", "{}a", "a{")) {
            assertThatThrownBy(() -> RedisFence.around("orders", client, key))
                    .as(key)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void sharedLeasesAndOtherLocksAreNotForTheFence() throws InterruptedException {
        RedisFence fence = RedisFence.around("orders", client, "order:42");
        Lease reader = locks.readWriteLock("orders").readLock().acquire();
        assertThatThrownBy(() -> fence.write(reader, "x")).isInstanceOf(IllegalArgumentException.class);
        Lease other = locks.lock("others").acquire();
        assertThatThrownBy(() -> fence.write(other, "x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void silentServerIsAFailureOfTheStore() {
        RedisClient nowhere = RedisClient.create("127.0.0.1", 1);
        RedisFence fence = RedisFence.around("orders", nowhere, "order:42");
        assertThatThrownBy(() -> fence.write(lease(1), "x"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("orders");
        nowhere.close();
    }

    private static Lease lease(long token) {
        return new Lease() {
            @Override
            public String name() {
                return "orders";
            }

            @Override
            public List<String> names() {
                return List.of("orders");
            }

            @Override
            public long token() {
                return token;
            }

            @Override
            public long token(String name) {
                return token;
            }

            @Override
            public boolean isExclusive() {
                return true;
            }

            @Override
            public boolean isHeld() {
                return true;
            }

            @Override
            public Duration remaining() {
                return Duration.ZERO;
            }

            @Override
            public void ensureHeld() {}

            @Override
            public void onLost(Consumer<LossReason> listener) {}

            @Override
            public boolean release() {
                return true;
            }

            @Override
            public CompletableFuture<Boolean> releaseAsync() {
                return CompletableFuture.completedFuture(true);
            }

            @Override
            public void close() {}
        };
    }
}
