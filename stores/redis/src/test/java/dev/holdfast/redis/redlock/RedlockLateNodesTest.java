package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A node that granted after a quorum had, with a counter of its own, and whose answer never came: its client does not know
 * with which counter it holds.
 */
final class RedlockLateNodesTest {
    private static final Duration LEASE = Duration.ofSeconds(28);

    /** Well before the lease would end anything. */
    private static final Duration SOON = Duration.ofSeconds(14);

    private static final Duration LATE = Duration.ofMillis(300);

    /** So far ahead that the node does not follow a client's hint, and that the client does not follow the node. */
    private static final Duration AHEAD = Duration.ofMinutes(50);

    private static final String OPTIONS = "fresh=true&nodeTimeout=500ms";
    private static final String NAME = "orders";
    private static final Predicate<String> SCRIPT = message -> message.contains("EVAL");

    /** The one that is late. */
    private static final int LATE_NODE = 2;

    @RegisterExtension
    final Rig rig = new Rig();

    private final RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
    private RedlockNodes nodes;
    private BareClient client;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 3);
        client = RedlockNodes.open(nodes.urlBehindNetworks(OPTIONS), RedlockRules.sound());
        client.store().ping();
        giveBack(client.take(BareClient.claim(LEASE, "warm").queued(false)));
    }

    @AfterEach
    void heal() {
        nodes.heal();
        client.close();
    }

    @Test
    void leaseIsRenewedWithTheHelpOfTheLateNode() {
        List<Grant> held = takenWithALateNode();
        fallSilent(1);

        assertThat(client.store().renew(held)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
        assertThat(counter(LATE_NODE)).as("it has learnt the epoch").isEqualTo(counter(0));
        assertThat(client.store().renew(held)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
        giveBack(held);
        nodes.heal();
        untilFree(1);
    }

    @Test
    void lockIsReleasedWithTheHelpOfTheLateNode() {
        List<Grant> held = takenWithALateNode();
        fallSilent(1);

        giveBack(held);
        untilFree(0);
        untilFree(LATE_NODE);
        nodes.heal();
        untilFree(1);
    }

    @Test
    void lateNodeLearnsTheEpochFromARenewal() {
        List<Grant> held = takenWithALateNode();

        assertThat(client.store().renew(held)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
        await().atMost(SOON).until(() -> counter(LATE_NODE).equals(counter(0)));
        giveBack(held);
    }

    /** The eviction names the epoch, which the late node does not know. */
    @Test
    void lateNodeKeepsNothingOfALockThatWasEvicted() {
        List<Grant> held = takenWithALateNode();
        evictAt(0, held.get(0));
        evictAt(1, held.get(0));

        assertThat(client.store().release(held)).containsOnly(ReleaseOutcome.NOT_HELD);
        untilFree(LATE_NODE);
    }

    @Test
    void unreachableNodeKeepsNothingOfALockThatWasEvictedElsewhere() throws InterruptedException {
        List<Grant> held = client.take(BareClient.claim(LEASE, NAME).queued(false));
        untilHeld(LATE_NODE);
        nodes.network(LATE_NODE).refuse();
        nodes.network(LATE_NODE).cut();
        evictAt(0, held.get(0));
        evictAt(1, held.get(0));

        assertThat(client.store().release(held)).containsOnly(ReleaseOutcome.NOT_HELD);
        nodes.heal();
        untilFree(LATE_NODE);
    }

    /** One node ends the lease early, as if its clock were put forward; another gets the request when that is over. */
    @Test
    void leaseIsNotRenewedWithTheHelpOfALateNodeIfAnotherClientHadTheLockInBetween() {
        nodes.network(LATE_NODE).abandon();
        Claim claim = BareClient.claim(LEASE, NAME).queued(false);
        List<Grant> held = client.take(claim);
        Direct.ask(nodes.node(0), calls.undo(NAME, claim.owner(), RedlockCalls.ALL_ATTEMPTS, false));
        try (BareClient other = nodes.client(OPTIONS)) {
            List<Grant> between = other.take(BareClient.claim(LEASE, NAME).queued(false));
            assertThat(between.get(0).epoch()).isGreaterThan(held.get(0).epoch());
            assertThat(other.store().release(between)).containsOnly(ReleaseOutcome.RELEASED);
            untilFree(LATE_NODE);
        }
        Direct.ask(nodes.node(LATE_NODE), calls.acquire(claim, 1, 1).get());
        untilHeld(LATE_NODE);

        // Until the late node is probed it is not asked, and then nothing is certain.
        RenewOutcome outcome = await().atMost(SOON)
                .until(() -> client.store().renew(held).get(0), said -> !(said instanceof RenewOutcome.Unknown));
        assertThat(outcome).isInstanceOf(RenewOutcome.Lost.class);
    }

    /** {@return a lock that the late node holds with another counter than its epoch, which its client was not told} */
    private List<Grant> takenWithALateNode() {
        Claim before = BareClient.claim(LEASE, NAME).queued(false);
        long hint = Hints.byTheClock().next() + AHEAD.toNanos() / 1_000;
        Direct.ask(nodes.node(LATE_NODE), calls.acquire(before, 1, hint).get());
        Direct.ask(nodes.node(LATE_NODE), calls.undo(NAME, before.owner(), 1, false));
        nodes.network(LATE_NODE).delay(Direction.TO_SERVER, LATE);
        nodes.network(LATE_NODE).dropReplies(1, SCRIPT);

        List<Grant> held = client.take(BareClient.claim(LEASE, NAME).queued(false));
        untilHeld(LATE_NODE);
        await().atMost(SOON).until(() -> nodes.network(LATE_NODE).caught() == 1);
        assertThat(counter(LATE_NODE)).as("the late node's counter").isNotEqualTo(counter(0));
        assertThat(counter(1)).as("the epoch, by a quorum").isEqualTo(counter(0));
        nodes.heal();
        return held;
    }

    private void fallSilent(int node) {
        nodes.network(node).blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
    }

    private void evictAt(int node, Grant grant) {
        Direct.ask(nodes.node(node), calls.evict(NAME, OptionalLong.of(grant.epoch()), "a test", "to see"));
        untilFree(node);
    }

    /** {@return with which counter a node holds the lock} */
    private String counter(int node) {
        return String.valueOf(nodes.node(node).ask("GETRANGE", "holdfast:rl:{" + NAME + "}", "42", "49"));
    }

    private void untilHeld(int node) {
        await().atMost(SOON).until(() -> nodes.lengthOf(node, NAME) > RedlockNodes.FREE_BYTES);
    }

    private void untilFree(int node) {
        await().atMost(SOON).until(() -> nodes.lengthOf(node, NAME) <= RedlockNodes.FREE_BYTES);
    }

    private void giveBack(List<Grant> grants) {
        assertThat(client.store().release(grants)).containsOnly(ReleaseOutcome.RELEASED);
    }
}
