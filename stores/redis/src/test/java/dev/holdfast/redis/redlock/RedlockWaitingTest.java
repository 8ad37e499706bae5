package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Outcomes;
import dev.holdfast.redis.Subscriptions;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The two ways in which a waiter learns that its turn has come, each without the other, on five real nodes. */
final class RedlockWaitingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(25);
    private static final int NODES = 5;
    private static final int QUORUM = 3;

    /** The length of a name's value while nobody holds it (redlock-name.lua). */
    private static final long FREE = 18;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedlockNodes nodes;

    @BeforeAll
    static void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, NODES);
        try (BareClient founder = nodes.client(RedlockNodes.CALM)) {
            founder.store().ping();
        }
    }

    @AfterEach
    void heal() {
        nodes.heal();
    }

    /** A store without an engine never asks by itself, so nothing but a message can let it tell a claim to ask again. */
    @Test
    void waiterIsToldToAskAgainByTheMessagesOfARelease() {
        try (BareClient holder = nodes.client(RedlockNodes.CALM);
                BareClient waiting = nodes.client(RedlockNodes.CALM)) {
            List<Grant> held = holder.take(BareClient.claim(LEASE, "told"));
            Claim claim = BareClient.claim(LEASE, "told");
            assertThat(waiting.store().tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
            // Once for each node, when it begins to listen there, because it may have missed something before.
            await().atMost(PATIENCE).until(() -> waiting.retried.size() >= nodes.count());
            assertThat(waiting.isGranted(claim)).isFalse();
            waiting.retried.clear();
            holder.store().release(held);

            await().atMost(PATIENCE).until(() -> !waiting.retried.isEmpty());
            assertThat(waiting.retried).containsOnly(claim.owner());
            await().atMost(PATIENCE).until(() -> waiting.isGranted(claim));
        }
    }

    /**
     * The connections on which messages come are not closed (closed ones are made anew, and then the waiter asks at once);
     * they deliver nothing any more.
     */
    @Test
    void waiterWhoseMessagesAreHeldBackAsksByItself() throws InterruptedException {
        LockOptions options = LockOptions.defaults().withLeaseTime(LEASE);
        try (Holdfast locks = Holdfast.connect(nodes.url(RedlockNodes.CALM));
                Holdfast waiting = Holdfast.connect(nodes.urlBehindNetworks(RedlockNodes.CALM))) {
            Lease first = locks.lock("warm", options).acquire();
            CompletableFuture<Lease> warm = waiting.lock("warm", options).acquireAsync();
            awaitWaiterWhereverHeld("warm");
            first.close();
            Outcomes.of(warm).close();

            Lease held = locks.lock("held back", options).acquire();
            CompletableFuture<Lease> waiter = waiting.lock("held back", options).acquireAsync();
            awaitWaiterWhereverHeld("held back");
            List<Set<String>> before = subscriptions();
            for (int node = 0; node < nodes.count(); node++) {
                nodes.network(node).hold(Direction.TO_CLIENT, 1, Subscriptions::isMessage);
            }
            held.close();

            assertThat(Outcomes.of(waiter).token()).isGreaterThan(held.token());
            assertThat(subscriptions()).as("nobody has subscribed anew").isEqualTo(before);
            await("the messages of a quorum, held back")
                    .atMost(PATIENCE)
                    .until(() -> nodesThatHeldAMessageBack() >= QUORUM);
        }
    }

    /**
     * The first answers of a quorum decide, so a request may reach a node after those of the next client: the node granted
     * that one in between, and the holder has the lock without it. Such a node has nobody to tell.
     */
    private static void awaitWaiterWhereverHeld(String name) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            int held = 0;
            for (int node = 0; node < nodes.count(); node++) {
                assertThat(Subscriptions.of(nodes.node(node)))
                        .as("both clients listen at node %s", node)
                        .hasSize(2);
                String key = "holdfast:rl:{" + name + "}";
                if ((long) nodes.node(node).ask("STRLEN", key) > FREE) {
                    held++;
                    assertThat(nodes.node(node).ask("ZCARD", key + ":w"))
                            .as("waiters at node %s", node)
                            .isEqualTo(1L);
                }
            }
            assertThat(held).as("nodes that hold '%s'", name).isGreaterThanOrEqualTo(QUORUM);
        });
    }

    private static int nodesThatHeldAMessageBack() {
        int count = 0;
        for (int node = 0; node < nodes.count(); node++) {
            count += nodes.network(node).caught();
        }
        return count;
    }

    private static List<Set<String>> subscriptions() {
        List<Set<String>> all = new ArrayList<>();
        for (int node = 0; node < nodes.count(); node++) {
            all.add(Subscriptions.of(nodes.node(node)));
        }
        return all;
    }
}
