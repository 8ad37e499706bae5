package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Connection;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.PlainConnection;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.redis.wire.ServerConnection;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ServerClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Epochs that are given within a millisecond, with the loss of what tells the last one in between: a server runs commands
 * that are sent together one after another, without a pause.
 */
final class EpochsTest {
    private static final int ROUNDS = 20;
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final long SKEW_MILLIS = 30_000;
    private static final long KEPT_MILLIS = Duration.ofDays(3).toMillis();
    private static final Keys KEYS = new Keys("holdfast");
    private static final Records RECORDS = new Records(KEYS.channel("epochs"));

    /** Scripts also tell the time in milliseconds since 1970, which will be smaller for the next thousand years. */
    private static final long SMALLEST_EPOCH = 30_000_000_000_000L;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    private Connection connection;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
    }

    @BeforeEach
    void connect() {
        redis.ask("FLUSHALL");
        connection = PlainConnection.to(redis.port());
    }

    @AfterEach
    void close() {
        connection.cut();
    }

    @RepeatedTest(ROUNDS)
    void emptiedServerRepeatsNone() {
        assertGrow(epochs(acquire(one()), flush(), acquire(one()), flush(), acquire(one())));
    }

    @RepeatedTest(ROUNDS)
    void lostRecordRepeatsNone() {
        Claim second = one();
        assertGrow(epochs(
                acquire(one()), lose(), acquire(second), withdraw(second), acquire(one()), lose(), acquire(one())));
    }

    @RepeatedTest(ROUNDS)
    void lostRecordsOfSeveralNamesRepeatNone() {
        List<Long> epochs = epochs(acquire(several()), flush(), acquire(several()), flush(), acquire(several()));
        for (int name = 0; name < 2; name++) {
            assertGrow(List.of(epochs.get(name), epochs.get(name + 2), epochs.get(name + 4)));
        }
    }

    /** Its record of the name tells nothing of what was given before. */
    @RepeatedTest(ROUNDS)
    void tombstoneOfALostRecordRepeatsNone() {
        assertGrow(epochs(acquire(one()), flush(), bury(one()), acquire(one())));
    }

    @RepeatedTest(ROUNDS)
    void handOverBeforeALostRecordRepeatsNone() {
        Claim holder = one();
        Claim waiter = one();
        assertGrow(epochs(
                stamped(1, acquire(holder)),
                stamped(1, acquire(waiter)),
                stamped(1, withdraw(holder)),
                stamped(1, acquire(waiter)),
                lose(),
                stamped(1, acquire(one()))));
    }

    @RepeatedTest(ROUNDS)
    void quickHandOverBeforeALostRecordRepeatsNone() {
        Claim holder = one();
        Claim waiter = one();
        long held =
                epochs(stamped(1, acquire(holder)), stamped(1, acquire(waiter))).get(0);
        Grant grant = new Grant("epochs", holder.owner(), held, LEASE, LEASE, null, false);
        Call release = Call.of(Script.RELEASE, KEYS.head("epochs"), Records.grant(grant));
        assertGrow(epochs(stamped(1, release), stamped(1, acquire(waiter)), lose(), stamped(1, acquire(one()))));
    }

    /** A key that has moved takes the clock of its old server along, as far as what it has left tells one. */
    @Test
    void recordThatIsLostAfterAMoveFromAServerWhoseClockIsAheadDoesNotMakeTokensSmaller() {
        Claim first = one();
        Claim second = one();
        assertGrow(epochs(
                stamped(1, acquire(first)),
                stamped(1, withdraw(first)),
                moveFromAServerThatIsAhead(),
                stamped(2, acquire(second)),
                stamped(2, withdraw(second)),
                lose(),
                stamped(2, acquire(one()))));
    }

    @Test
    void permitsDoNotGetSmallerTokensAfterSuchAMoveEither() {
        assertGrow(epochs(
                stamped(1, acquire(permit())),
                moveFromAServerThatIsAhead(),
                stamped(2, acquire(permit())),
                lose(),
                stamped(2, acquire(permit()))));
    }

    private static void assertGrow(List<Long> epochs) {
        assertThat(epochs).hasSizeGreaterThan(1).doesNotHaveDuplicates().isSorted();
    }

    /** Sends calls together; {@return the epochs that they are answered} */
    private List<Long> epochs(Call... calls) {
        ServerConnection server = new ServerConnection(connection, "epochs", new ServerClock(BareClient::nanos));
        for (Call call : calls) {
            if (call.script() != null) {
                call.sendAgain(null, true);
            }
            call.send(server);
        }
        List<Long> epochs = new ArrayList<>();
        for (Call unused : calls) {
            Object answer = Objects.requireNonNull(connection.receive());
            if (answer instanceof ServerRefusal refused) {
                throw refused;
            }
            for (Object word : answer instanceof List<?> words ? words : List.of(answer)) {
                if (word instanceof Long number && number >= SMALLEST_EPOCH) {
                    epochs.add(number);
                }
            }
        }
        return epochs;
    }

    private static Call acquire(Claim claim) {
        List<byte[]> heads = heads(claim);
        return Call.of(
                Script.ACQUIRE,
                heads,
                claim.parts().stream()
                        .map(part -> RECORDS.claim(claim, part, Records.QUEUE, heads))
                        .toList());
    }

    private static Call withdraw(Claim claim) {
        return Call.of(Script.WITHDRAW, heads(claim), List.of(Records.owner(claim.owner()), bytes("0")));
    }

    private static Call bury(Claim claim) {
        return Call.of(Script.WITHDRAW, heads(claim), List.of(Records.owner(claim.owner()), bytes("1")));
    }

    private static Call stamped(long generation, Call call) {
        Call stamped = call.stamped(true);
        stamped.under(generation);
        return stamped;
    }

    private static Call flush() {
        return plain("return redis.call('FLUSHALL')");
    }

    private static Call lose() {
        return plain("return redis.call('DEL', 'holdfast:{epochs}')");
    }

    private static Call moveFromAServerThatIsAhead() {
        return plain("return redis.call('PEXPIRE', 'holdfast:{epochs}', " + (KEPT_MILLIS - SKEW_MILLIS) + ")");
    }

    private static Call plain(String script) {
        return Call.of(Command.EVAL, bytes(script), bytes("0"));
    }

    private static List<byte[]> heads(Claim claim) {
        return claim.parts().stream().map(part -> KEYS.head(part.name())).toList();
    }

    private static Claim one() {
        return BareClient.claim(LEASE, "epochs");
    }

    private static Claim several() {
        return BareClient.claim(LEASE, "epochs", "more");
    }

    private static Claim permit() {
        return BareClient.claim(LEASE, List.of(new Claim.Part("epochs", LockKind.SEMAPHORE, 1, 2)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
