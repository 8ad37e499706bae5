package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Records;
import dev.holdfast.rig.Rig;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clocks of nodes that are stepped while locks are held and asked for; {@link SteppedClock} says how, and why not by
 * libfaketime. Tokens stay unique and in order whatever the clocks do. Mutual exclusion depends on them: it holds as long as
 * a majority of nodes holds the lock by clocks that were not put forward.
 */
final class RedlockClocksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(25);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final String NAME = "name";
    private static final long SEED = 20261115;

    /** The clocks that are stepped where a minority is; the others never are. */
    private static final List<Integer> MINORITY = List.of(0, 1);

    @RegisterExtension
    final Rig rig = new Rig();

    private final List<SteppedClock> clocks = new ArrayList<>();
    private RedlockNodes nodes;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 5);
        for (int node = 0; node < nodes.count(); node++) {
            clocks.add(SteppedClock.of(rig, nodes.node(node)));
        }
    }

    @Test
    void minorityThatIsPutForwardDoesNotEndALockThatAllNodesHold() {
        try (BareClient holder = client();
                BareClient other = client()) {
            Grant held = holder.take(claim(LEASE)).get(0);
            awaitHeldByAll();
            MINORITY.forEach(node -> clocks.get(node).stepTo(HOUR));

            assertThat(other.store().tryAcquire(claim(LEASE))).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(holder.store().renew(List.of(held))).singleElement().isInstanceOf(RenewOutcome.Renewed.class);
            assertThat(holder.store().release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
            assertThat(other.take(claim(LEASE)).get(0).epoch()).isGreaterThan(held.epoch());
        }
    }

    @Test
    void allClocksPutForwardEndALockAndTheNextTokenIsLarger() {
        try (BareClient holder = client();
                BareClient other = client()) {
            Grant held = holder.take(claim(LEASE)).get(0);
            awaitHeldByAll();
            assertThat(other.store().tryAcquire(claim(LEASE))).isInstanceOf(AcquireOutcome.Contended.class);
            clocks.forEach(clock -> clock.stepTo(HOUR));
            Grant next = other.take(claim(LEASE)).get(0);

            assertThat(next.epoch()).isGreaterThan(held.epoch());
            assertThat(holder.store().renew(List.of(held))).singleElement().isInstanceOf(RenewOutcome.Lost.class);
            assertThat(holder.store().release(List.of(held))).containsExactly(ReleaseOutcome.NOT_HELD);
            assertThat(other.store().renew(List.of(next))).singleElement().isInstanceOf(RenewOutcome.Renewed.class);
        }
    }

    @Test
    void allClocksPutBackProlongALockAndTheNextTokenIsLarger() {
        Duration brief = Duration.ofMillis(200);
        try (BareClient holder = client();
                BareClient other = client()) {
            Grant held = holder.take(claim(brief)).get(0);
            long ends = System.nanoTime() + brief.multipliedBy(2).toNanos();
            // By more than a proposed token may be ahead of a node's clock.
            clocks.forEach(clock -> clock.stepTo(HOUR.multipliedBy(-2)));
            await().atMost(PATIENCE).until(() -> System.nanoTime() - ends > 0);
            assertThat(other.store().tryAcquire(claim(brief)))
                    .as("by the nodes' clocks its time has not come yet")
                    .isInstanceOf(AcquireOutcome.Contended.class);

            assertThat(holder.store().release(List.of(held))).containsExactly(ReleaseOutcome.RELEASED);
            assertThat(other.take(claim(brief)).get(0).epoch()).isGreaterThan(held.epoch());
        }
    }

    @Test
    void twoHundredGrantsWithStepsOfAMinorityAreInOrderAndApart() throws InterruptedException {
        grantsWithStepsOfAMinorityAreInOrderAndApart(200);
    }

    @Test
    @Tag("full")
    void twoThousandGrantsWithStepsOfAMinorityAreInOrderAndApart() throws InterruptedException {
        grantsWithStepsOfAMinorityAreInOrderAndApart(2_000);
    }

    @Test
    void twoHundredGrantsWithStepsOfAllClocksAreInOrder() throws InterruptedException {
        grantsWithStepsOfAllClocksAreInOrder(200);
    }

    @Test
    @Tag("full")
    void twoThousandGrantsWithStepsOfAllClocksAreInOrder() throws InterruptedException {
        grantsWithStepsOfAllClocksAreInOrder(2_000);
    }

    /**
     * A bare majority may include stepped nodes, and what they have forgotten can help somebody else to another majority:
     * that is the limit that the store's page tells. So claims are looked at that all nodes hold whose clocks are left alone:
     * whoever else wants a majority needs one of these.
     */
    private void grantsWithStepsOfAMinorityAreInOrderAndApart(int grants) throws InterruptedException {
        Steps steps = new Steps();
        try (RedlockWorkers workers = new RedlockWorkers(url(), Steps.LEASE, SEED, this::isHeldByAllUnstepped)) {
            workers.workWhile(grants, Steps.PATIENCE, () -> steps.step(MINORITY));
            workers.end(steps.count + " steps of two clocks");
            Claimed.checkTokens(workers.history());
            Claimed.checkExclusion(workers.witnessed());
            assertThat(workers.witnessed()).as("enough to tell").hasSizeGreaterThan(grants / 4);
        }
    }

    private void grantsWithStepsOfAllClocksAreInOrder(int grants) throws InterruptedException {
        Steps steps = new Steps();
        try (RedlockWorkers workers = new RedlockWorkers(url(), Steps.LEASE, SEED)) {
            workers.workWhile(grants, Steps.PATIENCE, () -> steps.step(List.of(0, 1, 2, 3, 4)));
            workers.end(steps.count + " steps of all clocks");
            Claimed.checkTokens(workers.history());
        }
    }

    /** Steps of clocks under load, each to another time within an hour and a half around the right one. */
    private final class Steps {
        private static final Duration LEASE = Duration.ofMillis(400);
        private static final Duration PATIENCE = Duration.ofMinutes(4);
        private static final Duration PAUSE = Duration.ofMillis(40);
        private static final int FARTHEST_SECONDS = 5_400;

        private final Random random = new Random(SEED);
        private int count;

        void step(List<Integer> stepped) {
            for (int node : stepped) {
                clocks.get(node)
                        .stepTo(Duration.ofSeconds(random.nextInt(2 * FARTHEST_SECONDS + 1) - FARTHEST_SECONDS));
            }
            count++;
            long until = System.nanoTime() + PAUSE.toNanos();
            await().pollDelay(PAUSE).until(() -> System.nanoTime() - until >= 0);
        }
    }

    /** Asks the nodes themselves, by the script that is shipped. */
    private boolean isHeldByAllUnstepped(Claim claim) {
        RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
        for (int node = MINORITY.size(); node < nodes.count(); node++) {
            List<?> view = Answers.list(Direct.ask(
                    nodes.node(node), calls.inspect(claim.parts().get(0).name())));
            List<?> holder = view.size() > 4 ? Answers.list(view.get(4)) : List.of();
            if (holder.isEmpty() || !Arrays.equals(Answers.bytes(holder.get(3)), Records.owner(claim.owner()))) {
                return false;
            }
        }
        return true;
    }

    /** A client has what it wanted as soon as a majority has answered; the others follow. */
    private void awaitHeldByAll() {
        for (int node = 0; node < nodes.count(); node++) {
            int each = node;
            await().atMost(PATIENCE)
                    .until(() -> nodes.node(each).ask("STRLEN", "holdfast:rl:{" + NAME + "}") instanceof Long length
                            && length > 10);
        }
    }

    private BareClient client() {
        BareClient client = RedlockNodes.open(url(), RedlockRules.sound());
        client.store().ping();
        return client;
    }

    private static Claim claim(Duration lease) {
        return BareClient.claim(lease, NAME).queued(false);
    }

    private String url() {
        return clocks.stream()
                .map(clock -> "127.0.0.1:" + clock.port())
                .collect(Collectors.joining(",", "redlock://", "#fresh=true&nodeTimeout=2s"));
    }
}
