package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.PlainConnection;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.ServerClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The short paths of acquire and release decide nothing by themselves: the same random operations, on one set of keys
 * through the scripts as they are, on another through the common scripts alone, give the same answers and leave the same
 * state behind. Both are run by one script, in which the time stands still.
 */
final class RedlockScriptsTest {
    private static final int OPERATIONS = 4_000;
    private static final int AT_LEAST_SHORT = 300;
    private static final int AT_LEAST_COMMON = 300;
    private static final int AT_LEAST_READ = 100;
    private static final long LEASE_MILLIS = 30_000;
    private static final long HOUR_MICROS = 3_600_000_000L;
    private static final long LAST_EPOCH = (1L << 51) - 1;
    private static final List<String> COMMON_ACQUIRE = List.of("redlock-name", "redlock-readers", "redlock-acquire");
    private static final List<String> COMMON_RELEASE = List.of("redlock-name", "redlock-readers", "redlock-release");

    /** Every script in it finds the same time. */
    private static final String FROZEN = """
            local server, time = redis, redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local redis = {}
            function redis.call(command, ...)
              if command == 'TIME' then
                return time
              elseif command == 'PTTL' then
                local ends = server.call('PEXPIRETIME', ...)
                return ends < 0 and ends or ends - now
              end
              return server.call(command, ...)
            end
            """;

    private static final String SHORT = "short:{n}";
    private static final String COMMON = "common:{n}";
    private static final List<byte[]> KEYS =
            List.of(bytes(SHORT), bytes("short:node"), bytes(COMMON), bytes("common:node"));

    @RegisterExtension
    final Rig rig = new Rig();

    /** Printed with a failure, to be put in here. */
    private final long seed = new Random().nextLong();

    private final Random random = new Random(seed);
    private final List<byte[]> owners = new ArrayList<>();
    private final List<byte[]> readers = new ArrayList<>();
    private final Map<ByteBuffer, Long> reading = new HashMap<>();
    private final List<String> history = new ArrayList<>();
    private RedisNode node;
    private Connection connection;
    private long attempts;
    private long epoch = 1;
    private byte[] holder = {};
    private int shortAnswers;
    private int commonAnswers;
    private int reads;
    private int mismatches;

    @BeforeEach
    void start() throws InterruptedException {
        node = RedisNode.start(rig);
        connection = PlainConnection.to(node.port());
        for (int i = 0; i < 3; i++) {
            for (List<byte[]> some : List.of(owners, readers)) {
                byte[] owner = new byte[Records.OWNER_BYTES];
                random.nextBytes(owner);
                some.add(owner);
            }
        }
        holder = owners.get(0);
        remember();
    }

    @AfterEach
    void end() {
        connection.cut();
    }

    @Test
    void shortPathsAnswerAndWriteWhatTheCommonScriptsDo() {
        for (int i = 0; i < OPERATIONS; i++) {
            operate(random.nextInt(100));
        }

        System.out.println("Redlock: " + shortAnswers + " short answers and " + commonAnswers
                + " others were the same; " + reads + " by readers, " + mismatches + " to claims of another kind");
        assertThat(shortAnswers).as("seed %s", seed).isGreaterThan(AT_LEAST_SHORT);
        assertThat(commonAnswers).as("seed %s", seed).isGreaterThan(AT_LEAST_COMMON);
        assertThat(reads).as("seed %s", seed).isGreaterThan(AT_LEAST_READ);
        assertThat(mismatches).as("seed %s", seed).isPositive();
    }

    private void operate(int die) {
        if (die < 38) {
            acquire();
        } else if (die < 45) {
            read();
        } else if (die < 80) {
            release();
        } else if (die < 83) {
            renew();
        } else if (die < 86) {
            fence();
        } else if (die < 90) {
            undo();
        } else if (die < 92) {
            both("evict", whole(Script.REDLOCK_EVICT), whole(Script.REDLOCK_EVICT), 2, bytes("test"), bytes("chance"));
        } else if (die < 95) {
            expire();
        } else {
            disturb(die);
        }
    }

    private void acquire() {
        byte[] owner = random.nextInt(10) < 7 ? holder : owners.get(random.nextInt(owners.size()));
        attempts += random.nextInt(3);
        long lease = random.nextInt(20) == 0 ? LEASE_MILLIS + 1 : LEASE_MILLIS - random.nextInt(10);
        long hint = hint();
        byte kind = Arrays.equals(owner, owners.get(0)) ? RedlockCalls.LOCK : RedlockCalls.WRITER;
        Object answer = ask(
                "acquire", whole(Script.REDLOCK_ACQUIRE), Script.whole(COMMON_ACQUIRE), (int) lease, hint, owner, kind);
        List<?> fields = inFull(answer, hint, lease);
        if (fields.get(0).equals(1L)) {
            holder = owner;
            epoch = (Long) fields.get(1);
        }
        mismatches += fields.get(0).equals(5L) ? 1 : 0;
    }

    /** Readers have one script; what they leave behind is what the short paths must not overlook. */
    private void read() {
        byte[] owner = readers.get(random.nextInt(readers.size()));
        String script = whole(Script.REDLOCK_READ);
        List<?> fields = (List<?>) ask("read", script, script, (int) LEASE_MILLIS, hint(), owner, RedlockCalls.READER);
        if (fields.get(0).equals(1L)) {
            reading.put(ByteBuffer.wrap(owner), (Long) fields.get(1));
            epoch = Math.max(epoch, (Long) fields.get(1));
            reads++;
        }
    }

    private Object ask(String what, String first, String second, int lease, long hint, byte[] owner, byte kind) {
        byte[] record = ByteBuffer.allocate(44)
                .putInt(lease)
                .putLong(Math.max(1, attempts - random.nextInt(2)))
                .putLong(hint)
                .put(owner)
                .put(kind)
                .put(bytes("a client"), 0, 7)
                .array();
        byte[] channel = bytes(random.nextInt(5) == 0 ? "channel" : "");
        return both(what, first, second, 2, record, channel, RedlockCalls.number(hint));
    }

    /** {@return epoch and owner of one who may be a reader} */
    private ByteBuffer held(int more) {
        ByteBuffer grant = ByteBuffer.allocate(24 + more);
        if (!reading.isEmpty() && random.nextBoolean()) {
            ByteBuffer reader = List.copyOf(reading.keySet()).get(random.nextInt(reading.size()));
            long number = reading.get(reader);
            return grant.putLong(random.nextInt(10) == 0 ? number - 1 : number).put(reader.array());
        }
        byte[] owner = random.nextInt(10) == 0 ? owners.get(0) : holder;
        return grant.putLong(random.nextInt(10) == 0 ? epoch - 1 : epoch).put(owner);
    }

    /** Mostly what a client would send, which is larger than what was given, but not too large. */
    private long hint() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> epoch;
            case 2 -> epoch - 1;
            case 3 -> LAST_EPOCH + random.nextInt(2);
            case 4 -> Hints.byTheClock().next() + 2 * HOUR_MICROS;
            default -> Math.max(epoch + 1, Hints.byTheClock().next());
        };
    }

    private void release() {
        byte[] grant = held(0).array();
        both("release", whole(Script.REDLOCK_RELEASE), Script.whole(COMMON_RELEASE), 1, grant);
    }

    private void renew() {
        byte[] renewal = held(Integer.BYTES).putInt((int) LEASE_MILLIS).array();
        both("renew", whole(Script.REDLOCK_RENEW), whole(Script.REDLOCK_RENEW), 1, renewal);
    }

    private void fence() {
        ByteBuffer grant = held(0).flip();
        long answered = grant.getLong();
        byte[] owner = new byte[Records.OWNER_BYTES];
        grant.get(owner);
        long written = epoch + random.nextInt(3);
        Object answer = both(
                "fence",
                whole(Script.REDLOCK_FENCE),
                whole(Script.REDLOCK_FENCE),
                2,
                owner,
                RedlockCalls.number(answered),
                RedlockCalls.number(written),
                RedlockCalls.number(attempts),
                bytes(random.nextBoolean() ? "1" : ""));
        if (answer.equals(1L)) {
            epoch = written;
            reading.replace(ByteBuffer.wrap(owner), written);
        }
    }

    private void undo() {
        both(
                "undo",
                whole(Script.REDLOCK_UNDO),
                whole(Script.REDLOCK_UNDO),
                2,
                (random.nextBoolean() ? readers : owners).get(random.nextInt(owners.size())),
                RedlockCalls.number(attempts),
                bytes(random.nextBoolean() ? "60000" : "0"),
                bytes(random.nextBoolean() ? "1" : "0"),
                bytes(random.nextBoolean() ? "channel" : ""));
    }

    /** As if the lease had run out. */
    private void expire() {
        String past = "if redis.call('STRLEN', KEYS[1]) > 18 then redis.call('SETRANGE', KEYS[1], 18,"
                + " struct.pack('>I8', 1)) end for _, owner in ipairs(redis.call('ZRANGE', KEYS[1] .. ':r', 0, -1)) do"
                + " redis.call('ZADD', KEYS[1] .. ':r', 1, owner) redis.call('SETRANGE', KEYS[1] .. ':r:' .. owner, 0,"
                + " struct.pack('>I8', 1)) end return 0";
        both("expire", past, past, 2);
    }

    /** What happens to keys in other ways than by these scripts. */
    private void disturb(int die) {
        String what = List.of(
                        // The name is forgotten, the tombstones' flag runs out, a newer release writes, the node is
                        // empty.
                        "redis.call('DEL', KEYS[1])",
                        "redis.call('DEL', KEYS[1] .. ':t')",
                        "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('SETRANGE', KEYS[1], 0, '2') end",
                        "redis.call('DEL', KEYS[2])",
                        // The key is kept for less than two days more.
                        "local v = redis.call('GET', KEYS[1]) if v then local ends = struct.unpack('>I8', v, 11)"
                                + " - 100000000 redis.call('SETRANGE', KEYS[1], 10, struct.pack('>I8', ends))"
                                + " redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', ends)) end")
                .get(die - 95);
        both("disturb", what + " return 0", what + " return 0", 2);
        for (int i = 0; i < 3; i++) {
            acquire();
            release();
        }
        String readable =
                "if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('SETRANGE', KEYS[1], 0, '1') end return 0";
        both("mend", readable, readable, 2);
        remember();
    }

    /** Lets the node vote, with a floor that is not below what was given. */
    private void remember() {
        String floor = "if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('HSET', KEYS[2], 'format', '1', 'floor',"
                + " ARGV[1], 'maxLease', '" + LEASE_MILLIS + "') end return 0";
        both("remember", floor, floor, 2, RedlockCalls.number(epoch));
    }

    /** Runs two scripts, on a set of keys each, and compares; returns the answer of the first. */
    private Object both(String what, String first, String second, int keys, byte[]... arguments) {
        String own = keys == 1 ? "{ KEYS[%d] }" : "{ KEYS[%d], KEYS[%d] }";
        String script = FROZEN + "local function first(KEYS, ARGV)\n" + first
                + "\nend\nlocal function second(KEYS, ARGV)\n" + second
                + "\nend\nlocal answers = { first(" + String.format(own, 1, 2) + ", ARGV), second("
                + String.format(own, 3, 4) + ", ARGV) }\n"
                + "for i = 1, 3, 2 do\n"
                + "  answers[#answers + 1] = redis.call('GET', KEYS[i])\n"
                + "  answers[#answers + 1] = redis.call('HGET', KEYS[i + 1], 'floor')\n"
                + "  answers[#answers + 1] = redis.call('ZCARD', KEYS[i] .. ':w')\n"
                + "  local readers = redis.call('ZRANGE', KEYS[i] .. ':r', 0, -1, 'WITHSCORES')\n"
                + "  for j = 1, #readers, 2 do\n"
                + "    readers[#readers + 1] = redis.call('GET', KEYS[i] .. ':r:' .. readers[j])\n"
                + "  end\n"
                + "  answers[#answers + 1] = readers\n"
                + "end\nreturn answers";
        List<byte[]> words = new ArrayList<>(List.of(bytes(script), bytes("4")));
        words.addAll(KEYS);
        words.addAll(Arrays.asList(arguments));
        Call call = Call.of(Command.EVAL, words.toArray(new byte[0][]));
        call.send(new ServerConnection(connection, "scripts", new ServerClock(BareClient::nanos)));
        List<?> answers = (List<?>) connection.receive();
        history.add(what);
        String where = what + " as number " + history.size() + " with seed " + seed;
        compareAnswers(where, answers.get(0), answers.get(1), arguments);
        compareStates(where, (byte[]) answers.get(2), (byte[]) answers.get(6));
        assertThat((byte[]) answers.get(3)).as("floor after %s", where).isEqualTo((byte[]) answers.get(7));
        assertThat(answers.get(4)).as("waiting after %s", where).isEqualTo(answers.get(8));
        assertThat(plain(answers.get(5))).as("readers after %s", where).isEqualTo(plain(answers.get(9)));
        return answers.get(0);
    }

    private void compareAnswers(String where, Object first, Object second, byte[]... arguments) {
        boolean isShort = first instanceof Long && second instanceof List<?>;
        shortAnswers += isShort ? 1 : 0;
        commonAnswers += first instanceof List<?> && second instanceof List<?> ? 1 : 0;
        Object full = first;
        if (isShort && where.startsWith("release")) {
            full = List.of(first);
        } else if (isShort) {
            full = inFull(
                    first,
                    ByteBuffer.wrap(arguments[0]).getLong(12),
                    ByteBuffer.wrap(arguments[0]).getInt());
        }
        assertThat(plain(full)).as("answer to %s", where).isEqualTo(plain(second));
    }

    /** Bytes as text, so that they can be compared. */
    private static Object plain(Object answer) {
        if (answer instanceof List<?> fields) {
            return fields.stream().map(RedlockScriptsTest::plain).toList();
        }
        return answer instanceof byte[] bytes ? new String(bytes, StandardCharsets.ISO_8859_1) : answer;
    }

    /** The same but for when the key itself ends. */
    private static void compareStates(String where, byte[] first, byte[] second) {
        assertThat(first == null).as("forgotten after %s", where).isEqualTo(second == null);
        if (first != null && second != null) {
            Arrays.fill(first, 10, 18, (byte) 0);
            Arrays.fill(second, 10, 18, (byte) 0);
            assertThat(first).as("state after %s", where).isEqualTo(second);
        }
    }

    /** What the short answer to an acquire stands for. */
    private static List<?> inFull(Object answer, long hint, long lease) {
        if (answer instanceof Long counter) {
            assertThat(counter).isEqualTo(hint);
            return List.of(1L, counter, lease, counter);
        }
        return (List<?>) answer;
    }

    private static String whole(Script script) {
        return new String(script.text(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return Keys.bytes(text);
    }
}
