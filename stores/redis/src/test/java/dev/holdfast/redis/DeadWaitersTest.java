package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LockKind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Crowds of waiters that died in line: what one script does about them is bounded, and they do not gather. */
final class DeadWaitersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final int CROWD = 10_000;
    private static final int SMALL_CROWD = 600;
    private static final Duration SOON = Duration.ofSeconds(4);

    /** What a script asks of the server for one waiter that cannot be told, at most, times the most that it looks at. */
    private static final long MOST_COMMANDS = 3 * 260 + 30;

    private static final int MOST_SHOWN = 10_000;
    private static final int MORE_THAN_ARE_SHOWN = 20_000;
    private static final long OVER = -1;
    private static final long IN_PATIENCE = 15_000;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;
    private BareClient client;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
    }

    @BeforeEach
    void connect() {
        redis.ask("FLUSHALL");
        client = new BareClient(redis.url());
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void releaseToACrowdOfTheDeadServesTheLivingInShortScripts() {
        List<Grant> held = client.take(exclusive());
        assertThat(client.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
        crowd(CROWD, OVER);
        Claim living = exclusive();
        client.store().tryAcquire(living);
        client.store().poll(List.of(living));
        // The first in line is one of the living too, so that it does not matter who purges.
        redis.ask("ZREMRANGEBYRANK", "holdfast:{crowd}:q", "0", "0");
        CommandCounts.reset(redis);
        client.store().release(held);

        await().atMost(PATIENCE).until(() -> !client.pushed.isEmpty());
        assertThat(client.pushed.peek().get(0).owner()).isEqualTo(living.owner());
        assertThat(commandsPerScript()).isLessThan(MOST_COMMANDS);
    }

    /** Nobody is asked there: the script sees that nobody listens. What it has seen it need not see again. */
    @Test
    void releaseToACrowdThatCannotBeToldServesTheLivingBehindIt() {
        List<Grant> held = client.take(exclusive());
        assertThat(client.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
        crowd(SMALL_CROWD, IN_PATIENCE);
        Claim living = exclusive();
        client.store().tryAcquire(living);
        redis.ask("ZREMRANGEBYRANK", "holdfast:{crowd}:q", "0", "0");
        client.store().release(held);

        await().atMost(SOON).until(() -> !client.pushed.isEmpty());
        assertThat(client.pushed.peek().get(0).owner()).isEqualTo(living.owner());
    }

    /** The scripts are many round trips then, and the release has one command timeout for all of them. */
    @Test
    void releaseToACrowdOfTheDeadEndsInTimeOverASlowNetwork() {
        FaultProxy network = FaultProxy.before(rig, redis.port());
        try (BareClient far = new BareClient("redis://127.0.0.1:" + network.port() + "#timeout=1s")) {
            List<Grant> held = far.take(exclusive());
            assertThat(far.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
            crowd(CROWD, OVER);
            redis.ask("ZREMRANGEBYRANK", "holdfast:{crowd}:q", "0", "0");
            network.delay(Duration.ofMillis(100));
            long begin = System.nanoTime();
            far.store().release(held);

            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMillis(1750));
        }
    }

    @Test
    void acquireBehindACrowdThatCannotBeToldIsAShortScript() {
        List<Grant> held = client.take(exclusive());
        assertThat(client.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
        crowd(CROWD, IN_PATIENCE);
        redis.ask("ZREMRANGEBYRANK", "holdfast:{crowd}:q", "0", "0");
        client.store().release(held);
        CommandCounts.reset(redis);
        for (int i = 0; i < 10; i++) {
            assertThat(client.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
        }

        assertThat(commandsPerScript()).isLessThan(MOST_COMMANDS);
    }

    @Test
    void theDeadDoNotGatherBehindALockThatIsHeld() {
        client.take(exclusive());
        assertThat(client.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
        crowd(CROWD, OVER);
        CommandCounts.reset(redis);
        for (int i = 0; i < CROWD && waiters() > CROWD / 10; i++) {
            Claim passing = exclusive();
            client.store().tryAcquire(passing);
            client.store().withdraw(passing, false);
        }

        assertThat(waiters()).as("nobody has released anything").isLessThanOrEqualTo(CROWD / 10);
        assertThat(commandsPerScript()).isLessThan(MOST_COMMANDS);
    }

    @Test
    void inspectionOfALongLineIsAShortScript() {
        client.take(exclusive());
        assertThat(client.store().tryAcquire(exclusive())).isInstanceOf(AcquireOutcome.Contended.class);
        crowd(MORE_THAN_ARE_SHOWN, IN_PATIENCE);
        CommandCounts.reset(redis);

        assertThat(client.store().inspect("crowd").orElseThrow().waiters()).hasSize(MOST_SHOWN);
        assertThat(commandsPerScript()).isLessThan(MOST_COMMANDS);
    }

    @Test
    void inspectionOfACrowdOfReadersIsAShortScript() {
        client.take(reader());
        client.take(reader());
        readers(MORE_THAN_ARE_SHOWN);
        CommandCounts.reset(redis);

        assertThat(client.store().inspect("crowd").orElseThrow().holders())
                .hasSizeBetween(MOST_SHOWN, MOST_SHOWN + MOST_SHOWN / 5)
                .hasSizeLessThan(MORE_THAN_ARE_SHOWN);
        assertThat(commandsPerScript()).isLessThan(MOST_COMMANDS);
    }

    private static Claim reader() {
        return BareClient.claim(LEASE, List.of(new Claim.Part("crowd", LockKind.READ_WRITE, 1, Claim.MANY)));
    }

    private static Claim exclusive() {
        return BareClient.claim(LEASE, "crowd");
    }

    private static long waiters() {
        return (Long) redis.ask("ZCARD", "holdfast:{crowd}:q");
    }

    /** How many commands a script runs, on the average. */
    private static long commandsPerScript() {
        Map<String, Long> counts = CommandCounts.of(redis);
        long scripts = counts.getOrDefault("evalsha", 0L) + counts.getOrDefault("eval", 0L);
        return (counts.values().stream().mapToLong(Long::longValue).sum() - scripts) / scripts;
    }

    /** Puts readers beside those that are there, and like them. */
    private static void readers(int count) {
        redis.ask(
                "EVAL",
                "local all = redis.call('HGETALL', KEYS[1] .. ':h') "
                        + "for i = 1, tonumber(ARGV[1]) do "
                        + "  redis.call('HSET', KEYS[1] .. ':h', struct.pack('>I8I8', i, i), all[2]) "
                        + "end",
                "1",
                "holdfast:{crowd}",
                Integer.toString(count));
    }

    /** Puts waiters into the line, behind the last one and like it, whom nobody has heard of lately. */
    private static void crowd(int count, long leftMillis) {
        crowd(redis, "crowd", count, leftMillis);
    }

    static void crowd(RedisNode server, String name, int count, long leftMillis) {
        String key = "holdfast:{" + name + "}";
        server.ask(
                "EVAL",
                "local last = redis.call('ZREVRANGE', KEYS[1] .. ':q', 0, 0, 'WITHSCORES') "
                        + "local record = redis.call('HGET', KEYS[1] .. ':w', last[1]) "
                        + "local time = redis.call('TIME') "
                        + "local expiry = time[1] * 1000 + tonumber(ARGV[2]) "
                        + "local dead = struct.pack('>I8', expiry) .. string.sub(record, 9, 30) .. 'nobody\\nx\\ny' "
                        + "for i = 1, tonumber(ARGV[1]) do "
                        + "  local owner = struct.pack('>I8I8', i, i) "
                        + "  redis.call('ZADD', KEYS[1] .. ':q', string.format('%.0f', last[2] + i), owner) "
                        + "  redis.call('HSET', KEYS[1] .. ':w', owner, dead) "
                        + "end",
                "1",
                key,
                Integer.toString(count),
                Long.toString(leftMillis));
    }
}
