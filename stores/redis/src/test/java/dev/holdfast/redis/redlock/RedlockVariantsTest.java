package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Script;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The counterexamples of {@code docs/models}, played on three real nodes: the protocol survives each, and the variant that
 * leaves the rule out repeats or reverses a token. Clients send no useful hints here, so that counters differ.
 */
final class RedlockVariantsTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String OPTIONS = "fresh=true&nodeTimeout=5s&maxLease=3s";
    private static final String NAME = "orders";
    private static final int RAISED_BY = 5;

    /** Acknowledges without writing anything. */
    private static final RedlockCalls.Fencing NO_WRITE_BACK = (name, node, owner, answered, epoch, attempt) ->
            Call.of(Command.EVAL, Keys.bytes("return 1"), Keys.bytes("0"));

    /** The script without the comparison of the answered counter, nor of the epoch with the counter. */
    private static final RedlockCalls.Fencing OWNER_ONLY = (name, node, owner, answered, epoch, attempt) -> Call.of(
            Command.EVAL,
            Keys.bytes(new String(Script.REDLOCK_FENCE.text(), StandardCharsets.UTF_8)
                    .replace("if answered ~= tonumber(ARGV[2]) then", "if false then")
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

    private RedlockNodes nodes;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 3);
        try (BareClient founder = nodes.client(OPTIONS)) {
            founder.store().ping();
        }
    }

    @Test
    void tokensGrowWhereTheEpochIsWrittenBack() {
        assertThat(grantsOfTwoQuorums(rules()))
                .isSortedAccordingTo((first, second) -> Long.compare(first.epoch(), second.epoch()))
                .hasSize(2);
    }

    @Test
    void tokensGoBackWhereItIsNot() {
        List<Grant> grants = grantsOfTwoQuorums(rules().with(NO_WRITE_BACK));

        assertThat(grants.get(1).epoch())
                .as("the variant is caught")
                .isLessThan(grants.get(0).epoch());
    }

    @Test
    void repeatedRequestDoesNotMakeASecondGrantOfOneToken() {
        Interleaving run = new Interleaving(rules(), RedlockCalls.Fencing.SOUND);

        assertThat(run.other().epoch()).isPositive();
        assertThat(run.interrupted()).as("its grant had ended in between").isNull();
    }

    @Test
    void repeatedRequestMakesASecondGrantOfOneTokenWhereOnlyTheOwnerIsCompared() {
        Interleaving run = new Interleaving(rules(), OWNER_ONLY);

        assertThat(run.interrupted()).isNotNull();
        assertThat(run.interrupted().epoch())
                .as("the variant is caught")
                .isEqualTo(run.other().epoch());
    }

    @Test
    void nodeThatCopiesAfterWaitingKnowsEveryTokenItHelpedToGrant() {
        List<Grant> grants = grantsAroundALoss(false);

        assertThat(grants.get(1).epoch()).isGreaterThan(grants.get(0).epoch());
    }

    @Test
    void nodeThatCopiesBeforeWaitingLetsTokensGoBack() {
        List<Grant> grants = grantsAroundALoss(true);

        assertThat(grants.get(1).epoch())
                .as("the variant is caught")
                .isLessThan(grants.get(0).epoch());
    }

    /** One grant by nodes 0 and 1, whose counters differ, and a later one by nodes 1 and 2. */
    private List<Grant> grantsOfTwoQuorums(RedlockRules rules) {
        raise(0);
        List<Grant> grants = new ArrayList<>();
        for (List<Integer> quorum : List.of(List.of(0, 1), List.of(1, 2))) {
            try (BareClient client = nodes.reaching(quorum, OPTIONS, rules)) {
                Grant grant = client.take(claim()).get(0);
                grants.add(grant);
                // As leases do it. A release would tell the token to a node that holds with another counter.
                quorum.forEach(node -> endOn(nodes.node(node)));
                await().atMost(PATIENCE).until(() -> quorum.stream().allMatch(this::isFree));
            }
        }
        return grants;
    }

    /**
     * A grant by nodes 0 and 1 whose write-back to node 1 is delayed: meanwhile its hold on node 1 ends, another client is
     * granted the lock by nodes 1 and 2 and releases it, and the first request arrives at node 1 once more.
     */
    private final class Interleaving {
        private final AtomicReference<Grant> other = new AtomicReference<>();
        private final @Nullable Grant interrupted;

        Interleaving(RedlockRules rules, RedlockCalls.Fencing fencing) {
            raise(0);
            raise(2);
            Claim claim = claim();
            RedlockCalls repeating = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
            RedlockRules delayed = rules.with((RedlockCalls.Fencing) (name, node, owner, answered, epoch, attempt) -> {
                endOn(nodes.node(1));
                try (BareClient second = nodes.reaching(List.of(1, 2), OPTIONS, rules())) {
                    Grant between = second.take(claim()).get(0);
                    other.set(between);
                    second.store().release(List.of(between));
                }
                assertThat(Direct.ask(
                                nodes.node(1), repeating.acquire(claim, 1, 1).get()))
                        .isInstanceOf(List.class);
                return fencing.fence(name, node, owner, answered, epoch, attempt);
            });
            try (BareClient first = nodes.reaching(List.of(0, 1), OPTIONS, delayed)) {
                interrupted = grantOf(first, claim);
            }
        }

        Grant other() {
            return other.get();
        }

        @Nullable
        Grant interrupted() {
            return interrupted;
        }
    }

    /**
     * A grant by nodes 0 and 1; node 0 loses its memory after it has answered, and before the epoch is written back to node
     * 1. Then a grant by nodes 0 and 2, once node 0 votes again.
     */
    private List<Grant> grantsAroundALoss(boolean copiesFirst) {
        raise(0);
        AtomicReference<List<Recovery.@Nullable Look>> early = new AtomicReference<>();
        RedlockRules recovering =
                rules().with((Recovery.Copying) (node, afterWaiting) -> copiesFirst ? early.get() : afterWaiting);
        List<Grant> grants = new ArrayList<>();
        try (BareClient watcher = nodes.reaching(List.of(0, 1, 2), OPTIONS, recovering)) {
            RedlockRules losing = rules().with((RedlockCalls.Fencing) (name, node, owner, answered, epoch, attempt) -> {
                nodes.node(0).ask("FLUSHALL");
                early.set(RedlockNodes.storeOf(watcher).recovery().look());
                return RedlockCalls.Fencing.SOUND.fence(name, node, owner, answered, epoch, attempt);
            });
            try (BareClient client = nodes.reaching(List.of(0, 1), OPTIONS, losing)) {
                Grant grant = client.take(claim()).get(0);
                grants.add(grant);
                client.store().release(List.of(grant));
            }
            await().atMost(PATIENCE).until(() -> {
                RedlockNodes.storeOf(watcher).recovery().attend();
                return nodes.node(0).ask("EXISTS", "holdfast:rl:node").equals(1L);
            });
        }
        try (BareClient client = nodes.reaching(List.of(0, 2), OPTIONS, rules())) {
            grants.add(client.take(claim()).get(0));
        }
        return grants;
    }

    /** Requests that reach one node only, and are taken back, leave its counter ahead of the others. */
    private void raise(int node) {
        RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
        for (int i = 0; i < RAISED_BY; i++) {
            Claim claim = claim();
            Direct.ask(nodes.node(node), calls.acquire(claim, 1, 1).get());
            assertThat(Direct.ask(nodes.node(node), calls.undo(NAME, claim.owner(), 1, false)))
                    .isEqualTo(1L);
        }
    }

    private static @Nullable Grant grantOf(BareClient client, Claim claim) {
        try {
            return client.store().tryAcquire(claim) instanceof AcquireOutcome.Granted granted
                    ? granted.grants().get(0)
                    : null;
        } catch (StoreUnavailableException noQuorum) {
            return null;
        }
    }

    private boolean isFree(int node) {
        return nodes.node(node).ask("STRLEN", "holdfast:rl:{" + NAME + "}") instanceof Long length && length <= 18;
    }

    /** As a clock that is put forward would do. */
    private static void endOn(RedisNode node) {
        node.ask(
                "EVAL",
                new String(Script.REDLOCK_EVICT.text(), StandardCharsets.UTF_8),
                "2",
                "holdfast:rl:{" + NAME + "}",
                "holdfast:rl:node",
                "test",
                "it ends here");
    }

    private static RedlockRules rules() {
        return RedlockRules.sound().with(new Hints(() -> 0));
    }

    private static Claim claim() {
        return BareClient.claim(LEASE, NAME).queued(false);
    }
}
