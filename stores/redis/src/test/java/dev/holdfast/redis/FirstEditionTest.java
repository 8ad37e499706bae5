package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LockKind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients with the scripts of the first edition and with today's share a store. */
final class FirstEditionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final String ACQUIRE = script("acquire-fast", "prologue", "acquire");
    private static final String RELEASE = script("release-fast", "prologue", "release");
    private static final String RENEW = script("renew");

    /** Owners and records are text here, which the scripts do not mind. */
    private static final String OWNER = "0123456789abcdef";

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisSentinels group;
    private static RedisNode redis;
    private BareClient client;

    @BeforeAll
    static void start() throws InterruptedException {
        group = RedisSentinels.start(rig, RedisSettings.defaults());
        redis = group.master();
    }

    @BeforeEach
    void connect() {
        redis.ask("FLUSHALL");
        client = new BareClient(group.url());
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void theyExcludeEachOtherAndTokensGrow() {
        long first = (Long) acquire(OWNER, "1", 1, 1, 'e');
        Claim claim = BareClient.claim(LEASE, "shared");
        assertThat(client.store().tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
        assertThat(renew(OWNER, first)).isEqualTo(2L);
        release(OWNER, first);
        await().atMost(PATIENCE).until(() -> !client.pushed.isEmpty());
        Grant second = client.pushed.peek().get(0);
        assertThat(second.epoch()).isGreaterThan(first);

        assertThat((List<?>) acquire(OWNER, "0", 1, 1, 'e')).first().isEqualTo(0L);
        client.store().release(List.of(second));
        long third = (Long) acquire(OWNER, "0", 1, 1, 'e');
        assertThat(third).isGreaterThan(second.epoch());
        release(OWNER, third);
        assertThat(client.take(BareClient.claim(LEASE, "shared")).get(0).epoch())
                .isGreaterThan(third);
    }

    @Test
    void theyStandInOneLineAndShareASemaphore() {
        Claim.Part permit = new Claim.Part("shared", LockKind.SEMAPHORE, 1, 2);
        Grant ours = client.take(BareClient.claim(LEASE, List.of(permit))).get(0);
        Object theirs = acquire(OWNER, "1", 1, 2, 's');
        long epoch = theirs instanceof List<?> fields ? (Long) fields.get(3) : (Long) theirs;
        assertThat(epoch).isGreaterThan(ours.epoch());
        Claim third = BareClient.claim(LEASE, List.of(permit));
        assertThat(client.store().tryAcquire(third)).isInstanceOf(AcquireOutcome.Contended.class);
        assertThat(renew(OWNER, epoch)).isEqualTo(2L);
        assertThat((List<?>) acquire("fedcba9876543210", "1", 1, 2, 's'))
                .first()
                .isEqualTo(0L);
        release(OWNER, epoch);

        await().atMost(PATIENCE).until(() -> !client.pushed.isEmpty());
        assertThat(client.pushed.peek().get(0).owner()).isEqualTo(third.owner());
        assertThat(client.pushed.peek().get(0).epoch()).isGreaterThan(epoch);
    }

    private static Object acquire(String owner, String mode, int units, int capacity, char kind) {
        return Objects.requireNonNull(eval(
                ACQUIRE,
                "local record = ARGV[1] .. ARGV[2] .. ARGV[3] .. struct.pack('>I4I4I4', ARGV[4], ARGV[5], 60000) "
                        + ".. 'holdfast:to:first\\nfirst\\n' ",
                "record",
                owner,
                mode,
                String.valueOf(kind),
                Integer.toString(capacity),
                Integer.toString(units)));
    }

    private static void release(String owner, long epoch) {
        Object answer = eval(
                RELEASE, "local grant = struct.pack('>I8', ARGV[2]) .. ARGV[1] ", "grant", owner, Long.toString(epoch));
        assertThat(answer instanceof List<?> fields ? fields.get(0) : answer).isEqualTo(1L);
    }

    private static Object renew(String owner, long epoch) {
        Object answer = eval(
                RENEW,
                "local grant = struct.pack('>I8', ARGV[2]) .. ARGV[1] .. struct.pack('>I4', 60000) ",
                "grant",
                owner,
                Long.toString(epoch));
        return Objects.requireNonNull(((List<?>) Objects.requireNonNull(answer)).get(1));
    }

    /** Runs a script of the first edition, with its argument put together in the server: it is not text. */
    private static Object eval(String script, String prepare, String argument, String... given) {
        String[] words = new String[4 + given.length];
        words[0] = "EVAL";
        words[1] = prepare + "local ARGV = { " + argument + " } " + script;
        words[2] = "1";
        words[3] = "holdfast:{shared}";
        System.arraycopy(given, 0, words, 4, given.length);
        return redis.ask(words);
    }

    private static String script(String... pieces) {
        StringBuilder whole = new StringBuilder();
        for (String piece : pieces) {
            try (InputStream in = FirstEditionTest.class.getResourceAsStream("first-edition/" + piece + ".lua")) {
                whole.append(new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
        }
        return whole.toString();
    }
}
