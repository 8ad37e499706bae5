package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RespConnection;
import dev.holdfast.spi.Grant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes that are new, come back without their memory, or with it. */
final class RedlockRecoveryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String OPTIONS = "nodeTimeout=2s&maxLease=2s";
    private static final String FRESH = OPTIONS + "&fresh=true";

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void newNodesGrantAtOnceWhereTheyAreSaidToBeNew() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (Holdfast locks = connect(nodes.url(FRESH))) {
            assertThat(locks.lock("first", options()).tryAcquire()).isPresent();
        }
    }

    @Test
    void newNodesAreToldApartFromSilentOnes() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (Holdfast locks = connect(nodes.url("nodeTimeout=2s"))) {
            for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(100))) {
                assertThatThrownBy(() -> locks.lock("first", options()).tryAcquire(wait))
                        .isInstanceOf(StoreUnavailableException.class)
                        // As soon as so many have said so that the others cannot grant it, nobody waits for these.
                        .hasMessageMatching("(?s).*[345] of 5 nodes are new or have lost their memory.*")
                        .hasMessageMatching("(?s).*in about (2[0-9]|3[0-2]) s.*")
                        .hasMessageContaining("new deployment")
                        .hasMessageContaining("fresh=true")
                        .satisfies(told -> assertThat(told.getMessage()).doesNotContain("reachable"));
            }
        }
    }

    @Test
    void newNodesWaitOutTheLongestLeaseWhereNothingIsSaid() throws InterruptedException {
        long begin = System.nanoTime();
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        try (Holdfast locks = connect(nodes.url("nodeTimeout=2s&maxLease=4s"))) {
            assertThatThrownBy(() -> locks.lock("first", options()).tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("do not vote yet");
            Lease lease = locks.lock("first", options()).acquire();

            assertThat(lease.isHeld()).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("never before the nodes have lived for that long")
                    .isGreaterThan(Duration.ofSeconds(4));
        }
    }

    @Test
    void newNodesThatHaveBeenUpForLongGrantAtOnceAndWaitWhenTheyWereFlushed() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        awaitOld(nodes);
        try (Holdfast locks = connect(nodes.url(OPTIONS))) {
            Lease before = locks.lock("flushed", options()).tryAcquire().orElseThrow();
            for (int node = 0; node < nodes.count(); node++) {
                nodes.node(node).ask("FLUSHALL");
            }

            othersWaitFor(nodes, before);
        }
    }

    @Test
    @Tag("full")
    void oldNodesThatWereFlushedWaitAlsoWhereTheirCountsWereSetBack() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        awaitOld(nodes);
        try (Holdfast locks = connect(nodes.url(OPTIONS))) {
            Lease before = locks.lock("flushed", options()).tryAcquire().orElseThrow();
            for (int node = 0; node < nodes.count(); node++) {
                nodes.node(node).ask("FLUSHALL");
                nodes.node(node).ask("CONFIG", "RESETSTAT");
            }

            othersWaitFor(nodes, before);
        }
    }

    /** By the node's own script: for how long it has certainly lost nothing. */
    @Test
    void nodeThatMayHaveBeenEmptiedDoesNotSaySinceWhenItIsNot() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 1);
        RedisNode node = nodes.node(0);
        await().atMost(PATIENCE).until(() -> certainlyEmptyMillis(node) > 0);
        node.ask("CONFIG", "GET", "port");
        assertThat(certainlyEmptyMillis(node)).as("nothing was reset").isPositive();
        node.ask("CONFIG", "RESETSTAT");
        assertThat(certainlyEmptyMillis(node))
                .as("the counts do not reach back")
                .isZero();
        node.ask("FLUSHALL");
        assertThat(certainlyEmptyMillis(node)).as("flushed").isZero();
        try (RespConnection connection = node.connect()) {
            connection.ask("MULTI");
            connection.ask("FLUSHALL");
            connection.ask("CONFIG", "RESETSTAT");
            connection.ask("EXEC");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        assertThat(String.valueOf(node.ask("INFO", "commandstats"))).doesNotContain("flush");
        assertThat(certainlyEmptyMillis(node)).as("flushed and forgotten").isZero();
    }

    private static long certainlyEmptyMillis(RedisNode node) {
        RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
        List<?> look = Answers.list(Direct.ask(node, calls.look("mark", Duration.ofSeconds(1))));
        assertThat(Answers.number(look.get(0))).as("it does not vote").isZero();
        return Answers.number(look.get(4));
    }

    /** Waits until all nodes have been running for longer than the longest lease. */
    private static void awaitOld(RedlockNodes nodes) {
        await().atMost(PATIENCE).until(() -> {
            boolean old = true;
            for (int node = 0; node < nodes.count(); node++) {
                old &= String.valueOf(nodes.node(node).ask("INFO", "server"))
                        .lines()
                        .anyMatch(line -> line.matches("uptime_in_seconds:([4-9]|\\d\\d+)"));
            }
            return old;
        });
    }

    private static void othersWaitFor(RedlockNodes nodes, Lease before) throws InterruptedException {
        try (Holdfast others = connect(nodes.url(OPTIONS))) {
            assertThatThrownBy(() -> others.lock("flushed", options()).tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class);
            Lease after = others.lock("flushed", options()).acquire();

            assertThat(before.isHeld()).as("told before").isFalse();
            assertThat(after.token()).isGreaterThan(before.token());
        }
    }

    @Test
    void emptyNodeDoesNotVoteUntilTheLongestLeaseHasPassed() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        try (BareClient all = nodes.client(FRESH)) {
            Grant first = all.take(BareClient.claim(LEASE, "name")).get(0);
            nodes.node(0).restartEmpty();
            nodes.node(1).kill();
            long begin = System.nanoTime();
            // Node 2 remembers the grant; node 0 alone could help another client to a quorum, if it voted.
            assertThatThrownBy(() -> all.store().tryAcquire(BareClient.claim(LEASE, "name")))
                    .isInstanceOf(StoreUnavailableException.class);
            nodes.node(1).start();
            await().atMost(PATIENCE).until(() -> votes(nodes, 0));

            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(LEASE);
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() ->
                            all.take(BareClient.claim(LEASE, "name")).get(0).epoch() > first.epoch());
        }
    }

    @Test
    void nodeThatComesBackEmptyKnowsTheFloorOfTheOthers() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (BareClient client = nodes.client(FRESH)) {
            Grant grant = client.take(BareClient.claim(LEASE, "name")).get(0);
            client.store().release(List.of(grant));
            nodes.node(2).restartEmpty();
            nodes.node(3).restartEmpty();
            await().atMost(PATIENCE).until(() -> {
                client.store().ping();
                return votes(nodes, 2) && votes(nodes, 3);
            });

            for (int node : new int[] {2, 3}) {
                assertThat(Long.parseLong(String.valueOf(nodes.node(node).ask("HGET", "holdfast:rl:node", "floor"))))
                        .isGreaterThanOrEqualTo(grant.epoch());
            }
        }
    }

    @Test
    void voteThatWasFoundOutForAnEarlierLossDoesNotCount() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
        Direct.ask(nodes.node(0), calls.look("first loss", Duration.ofSeconds(1)));
        nodes.node(0).ask("FLUSHALL");
        Direct.ask(nodes.node(0), calls.look("second loss", Duration.ofSeconds(1)));

        assertThat(Direct.ask(nodes.node(0), calls.vote(Keys.bytes("first loss"), 1, 1000)))
                .isEqualTo(0L);
        assertThat(votes(nodes, 0)).isFalse();
        assertThat(Direct.ask(nodes.node(0), calls.vote(Keys.bytes("second loss"), 7, 1000)))
                .isEqualTo(1L);
        assertThat(Direct.ask(nodes.node(0), calls.vote(Keys.bytes("second loss"), 9, 1000)))
                .isEqualTo(0L);
        assertThat(nodes.node(0).ask("HGET", "holdfast:rl:node", "floor")).isEqualTo("7");
    }

    @Test
    void lossOfAMajorityIsSurvivedOnceEverybodyIsThereAndHasWaited() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (Holdfast locks = connect(nodes.url(FRESH))) {
            Lease before = locks.lock("name", options()).acquire();
            for (int node : new int[] {0, 1, 2}) {
                nodes.node(node).restartEmpty();
            }
            Lease after =
                    locks.lock("other name", options()).tryAcquire(PATIENCE).orElseThrow();

            assertThat(before.isHeld()).isFalse();
            assertThat(after.token()).isGreaterThan(before.token());
        }
    }

    @Test
    void restartWithPersistenceKeepsLocksAndVotesAtOnce() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.startDurable(rig, 3);
        String options = "fresh=true&nodeTimeout=2s";
        LockOptions calm = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(20));
        try (Holdfast locks = connect(nodes.url(options));
                Holdfast others = connect(nodes.url(options))) {
            Lease lease = locks.lock("kept", calm).acquire();
            for (int node = 0; node < nodes.count(); node++) {
                nodes.node(node).kill();
                nodes.node(node).start();
            }
            await().atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() ->
                            assertThat(others.lock("kept", calm).tryAcquire()).isEmpty());

            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.release()).isTrue();
            assertThat(others.lock("kept", calm)
                            .tryAcquire(PATIENCE)
                            .orElseThrow()
                            .token())
                    .isGreaterThan(lease.token());
        }
    }

    @Test
    void leaseThatIsLongerThanTheNodesWereSetUpForIsRefused() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 3);
        try (Holdfast founder = connect(nodes.url(FRESH));
                Holdfast other = connect(nodes.url("nodeTimeout=2s&maxLease=60s"))) {
            assertThat(founder.traits().longestLease()).isEqualTo(LEASE);
            assertThatThrownBy(() -> other.lock("long", LockOptions.defaults().withLeaseTime(Duration.ofSeconds(10)))
                            .tryAcquire())
                    .isInstanceOf(StoreMisconfiguredException.class)
                    .hasMessageContaining("maxLease");
        }
    }

    private static boolean votes(RedlockNodes nodes, int node) {
        return nodes.node(node).ask("EXISTS", "holdfast:rl:node").equals(1L);
    }

    private static Holdfast connect(String url) {
        return Holdfast.builder().url(url).defaults(options()).build();
    }

    private static LockOptions options() {
        return LockOptions.defaults().withLeaseTime(LEASE);
    }
}
