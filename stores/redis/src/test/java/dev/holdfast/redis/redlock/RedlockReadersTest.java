package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.LockKind;
import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.rig.Rig;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.RenewOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Readers and writers on three real nodes, of which clients reach some only: tokens, requests that come late or again, and
 * what counts as what. Clients send no useful hints here, so that counters differ.
 */
final class RedlockReadersTest {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String OPTIONS = "fresh=true&nodeTimeout=5s&maxLease=20s";
    private static final String NAME = "catalog";
    private static final String KEY = "holdfast:rl:{" + NAME + "}";
    private static final int RAISED_BY = 5;
    private static final int MOST_READERS = 1000;

    /** Gives a reader any number, also one that another reader has. */
    private static final RedlockCalls.Fencing BELOW_THE_COUNTER =
            (name, node, owner, answered, epoch, attempt) -> Call.of(
                    Command.EVAL,
                    Keys.bytes(new String(Script.REDLOCK_FENCE.text(), StandardCharsets.UTF_8)
                            .replace("if epoch <= counter and ARGV[5] ~= '1' then", "if false then")),
                    Keys.bytes("2"),
                    name,
                    node,
                    owner,
                    RedlockCalls.number(answered),
                    RedlockCalls.number(epoch),
                    RedlockCalls.number(attempt));

    @RegisterExtension
    final Rig rig = new Rig();

    private final RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
    private RedlockNodes nodes;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 3);
        try (BareClient founder = nodes.client(OPTIONS)) {
            founder.store().ping();
        }
    }

    @Test
    void readersOfDifferentQuorumsNeverShareAToken() {
        List<Grant> readers = readersOfTwoQuorums(RedlockCalls.Fencing.SOUND);

        assertThat(readers.get(0).epoch()).isGreaterThan(readers.get(1).epoch());
        try (BareClient client = nodes.reaching(List.of(0, 1, 2), OPTIONS, rules())) {
            assertThat(client.store().renew(readers)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
            client.store().release(readers);
        }
        try (BareClient client = nodes.reaching(List.of(0, 2), OPTIONS, rules())) {
            Claim writer = writer();
            await().atMost(PATIENCE).until(() -> client.isGranted(writer));
            assertThat(client.take(writer).get(0).epoch())
                    .as("the writer after them")
                    .isGreaterThan(readers.get(0).epoch());
        }
    }

    @Test
    void readersShareATokenWhereANumberIsGivenThatIsNotAboveTheCounter() {
        List<Grant> readers = readersOfTwoQuorums(BELOW_THE_COUNTER);

        assertThat(readers.get(0).epoch())
                .as("the variant is caught")
                .isEqualTo(readers.get(1).epoch());
    }

    @Test
    void readerWhoseReplyWasLostFindsWhatItHasAndKeepsIt() {
        Claim claim = reader();
        List<Long> answered = new ArrayList<>();
        for (int node = 0; node < nodes.count(); node++) {
            answered.add(acquire(node, claim, 0));
        }
        try (BareClient client = nodes.reaching(List.of(0, 1, 2), OPTIONS, rules())) {
            Grant grant = client.take(claim).get(0);
            assertThat(answered).containsOnly(grant.epoch());
            for (int node = 0; node < nodes.count(); node++) {
                assertThat(nodes.node(node).ask("ZCARD", KEY + ":r")).isEqualTo(1L);
                Direct.ask(nodes.node(node), calls.undo(NAME, claim.owner(), 0, false));
                assertThat(fence(node, grant, grant.epoch() + 1, 0))
                        .as("a late word of the earlier attempt")
                        .isEqualTo(0L);
            }
            assertThat(client.store().renew(List.of(grant))).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
            assertThat(fence(0, grant, grant.epoch() + 1, 1))
                    .as("its own attempt's")
                    .isEqualTo(1L);
        }
    }

    /** Its counter is past the epoch, which a quorum has given: it may hold with it all the same. */
    @Test
    void nodeThatJoinsLateHoldsWithTheReadersEpoch() {
        raise(2);
        Claim claim = reader();
        Grant grant;
        try (BareClient some = nodes.reaching(List.of(0, 1), OPTIONS, rules())) {
            grant = some.take(claim).get(0);
        }
        assertThat(acquire(2, claim, 0)).isGreaterThan(grant.epoch());
        try (BareClient all = nodes.reaching(List.of(0, 1, 2), OPTIONS, rules())) {
            assertThat(all.store().renew(List.of(grant))).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
            await().atMost(PATIENCE)
                    .until(() -> List.of(0L).equals(Direct.ask(nodes.node(2), calls.renew(List.of(grant)))));
        }
    }

    @Test
    void writerDoesNotTakeSeveralReadersForASplitVote() {
        for (int node = 0; node < nodes.count(); node++) {
            assertThat(acquire(node, reader(), 1)).isPositive();
        }
        try (BareClient client = nodes.reaching(List.of(0, 1, 2), OPTIONS, rules())) {
            assertThat(client.store().tryAcquire(writer())).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(RedlockNodes.storeOf(client).claims().latestAttempt())
                    .as("it has asked once")
                    .isEqualTo(1);
        }
    }

    @Test
    void otherKindIsSaidOnlyIfSoManyNodesSaySoThatThereIsNoQuorumWithoutThem() {
        assertThat(acquire(0, lock(), 1)).isPositive();
        assertThat(acquire(1, writer(), 1)).isPositive();
        try (BareClient client = nodes.reaching(List.of(0, 1, 2), OPTIONS, rules())) {
            assertThat(client.store().tryAcquire(reader())).isInstanceOf(AcquireOutcome.Contended.class);
            // What the third node has granted is taken back in the background.
            await().atMost(PATIENCE).until(() -> acquire(2, lock(), 1) > 0);
            assertThat(client.store().tryAcquire(reader())).isInstanceOf(AcquireOutcome.Mismatch.class);
        }
    }

    @Test
    void readersAreLetInUpToALimit() {
        try (BareClient client = nodes.reaching(List.of(0, 1, 2), OPTIONS, rules())) {
            Grant first = client.take(reader()).get(0);
            for (int node = 0; node < nodes.count(); node++) {
                nodes.node(node)
                        .ask(
                                "EVAL",
                                "local last = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] for i = 2, ARGV[1] do"
                                        + " redis.call('ZADD', KEYS[1], last, i) end return 1",
                                "1",
                                KEY + ":r",
                                Integer.toString(MOST_READERS));
            }
            assertThat(client.store().tryAcquire(reader())).isInstanceOf(AcquireOutcome.Contended.class);
            client.store().release(List.of(first));
            await().atMost(PATIENCE).until(() -> client.isGranted(reader()));
        }
    }

    /**
     * A reader by nodes 0 and 1 whose write-back is delayed until another by nodes 1 and 2 has been granted. Nodes 0 and 2 are
     * equally far ahead of node 1.
     */
    private List<Grant> readersOfTwoQuorums(RedlockCalls.Fencing fencing) {
        raise(0);
        raise(2);
        AtomicReference<Grant> other = new AtomicReference<>();
        RedlockRules delayed = rules().with((RedlockCalls.Fencing) (name, node, owner, answered, epoch, attempt) -> {
            if (other.get() == null) {
                try (BareClient second = nodes.reaching(List.of(1, 2), OPTIONS, rules())) {
                    other.set(second.take(reader()).get(0));
                }
            }
            return fencing.fence(name, node, owner, answered, epoch, attempt);
        });
        try (BareClient first = nodes.reaching(List.of(0, 1), OPTIONS, delayed)) {
            return List.of(first.take(reader()).get(0), other.get());
        }
    }

    /** Requests that reach one node only, and are taken back, leave its counter ahead of the others. */
    private void raise(int node) {
        for (int i = 0; i < RAISED_BY; i++) {
            Claim claim = writer();
            assertThat(acquire(node, claim, 1)).isPositive();
            assertThat(Direct.ask(nodes.node(node), calls.undo(NAME, claim.owner(), 1, false)))
                    .isEqualTo(1L);
        }
    }

    /** {@return the counter that a node answers to a request that came on its own; 0 if it refused} */
    private long acquire(int node, Claim claim, long attempt) {
        Object answer =
                Direct.ask(nodes.node(node), calls.acquire(claim, attempt, 1).get());
        if (answer instanceof Long counter) {
            return counter;
        }
        List<?> fields = Answers.list(answer);
        return Answers.number(fields.get(0)) == 1 ? Answers.number(fields.get(1)) : 0;
    }

    private Object fence(int node, Grant grant, long epoch, long attempt) {
        return Direct.ask(nodes.node(node), calls.fence(NAME, grant.owner(), grant.epoch(), epoch, attempt));
    }

    private static RedlockRules rules() {
        return RedlockRules.sound().with(new Hints(() -> 0));
    }

    private static Claim lock() {
        return BareClient.claim(LEASE, NAME).queued(false);
    }

    private static Claim reader() {
        return readWrite(1);
    }

    private static Claim writer() {
        return readWrite(Claim.MANY);
    }

    private static Claim readWrite(int units) {
        return BareClient.claim(LEASE, List.of(new Claim.Part(NAME, LockKind.READ_WRITE, units, Claim.MANY)))
                .queued(false);
    }
}
