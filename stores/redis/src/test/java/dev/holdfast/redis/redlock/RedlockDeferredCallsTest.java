package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.redis.wire.Answers;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What nodes are told in the background, after whoever asked has gone on. */
final class RedlockDeferredCallsTest {
    private static final Duration LEASE = Duration.ofSeconds(20);

    /** Long enough that nobody waits for such a node when nothing depends on it. */
    private static final Duration SLOW = Duration.ofMillis(15);

    private static final int ATTEMPTS = 20;
    private static final int FREE_BYTES = 18;
    private static final String NAME = "orders";

    @RegisterExtension
    final Rig rig = new Rig();

    private RedlockNodes nodes;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 3);
        try (BareClient first = nodes.client(RedlockNodes.CALM)) {
            first.store().ping();
        }
    }

    @AfterEach
    void heal() {
        nodes.heal();
    }

    /** Its epoch is known late, when the owner has given the name back and holds the node again by another attempt. */
    @Test
    void epochOfAnEarlierGrantDoesNotDisturbALaterAttemptOfItsOwner() {
        RedisNode node = nodes.node(0);
        RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
        Claim claim = BareClient.claim(LEASE, NAME).queued(false);
        long counter = counterOf(Direct.ask(node, calls.acquire(claim, 1, 1).get()));
        assertThat(counterOf(
                        Direct.ask(node, calls.acquire(claim, 2, counter + 10).get())))
                .as("the node has not heard of the release yet")
                .isEqualTo(counter);

        assertThat(Direct.ask(node, calls.fence(NAME, claim.owner(), counter, counter + 5, 1)))
                .as("what the first attempt came to")
                .isEqualTo(0L);
        assertThat(Direct.ask(node, calls.fence(NAME, claim.owner(), counter, counter + 10, 2)))
                .isEqualTo(1L);
    }

    @Test
    void whatNodesMustHearIsSaidBeforeAClientIsClosed() throws InterruptedException {
        try (BareClient client = RedlockNodes.open(nodes.urlBehindNetworks(RedlockNodes.CALM), RedlockRules.sound())) {
            client.store().ping();
            nodes.node(1).kill();
            nodes.node(2).kill();
            nodes.network(0).delay(Direction.TO_CLIENT, SLOW);
            for (int i = 0; i < ATTEMPTS; i++) {
                Claim claim = BareClient.claim(LEASE, NAME + i).queued(false);
                assertThatThrownBy(() -> client.store().tryAcquire(claim))
                        .isInstanceOf(StoreUnavailableException.class);
            }
        }

        for (int i = 0; i < ATTEMPTS; i++) {
            assertThat(nodes.node(0).ask("STRLEN", "holdfast:rl:{" + NAME + i + "}"))
                    .isEqualTo((long) FREE_BYTES);
        }
    }

    private static long counterOf(Object answer) {
        return answer instanceof Long counter ? counter : Answers.number(((List<?>) answer).get(1));
    }
}
