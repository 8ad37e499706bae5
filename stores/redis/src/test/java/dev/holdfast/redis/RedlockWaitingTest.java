package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The two ways in which a waiter learns that its turn has come, each without the other, on five real nodes. */
final class RedlockWaitingTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(25);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedlockNodes nodes;

    @BeforeAll
    static void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 5);
        try (BareClient founder = nodes.client(RedlockNodes.CALM)) {
            founder.store().ping();
        }
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
}
