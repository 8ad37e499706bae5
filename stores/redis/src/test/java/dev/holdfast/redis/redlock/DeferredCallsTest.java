package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.redlock.DeferredCalls.DeferredCall;
import dev.holdfast.redis.redlock.DeferredCalls.Topic;
import dev.holdfast.spi.OwnerId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept for a node, and what is dropped first. */
final class DeferredCallsTest {
    private static final int MOST = 10_000;

    private final DeferredCalls calls = new DeferredCalls();

    @Test
    void latestWordAboutAClaimReplacesEarlierOnes() {
        add(1, 7, 100);
        add(1, 9, 50);
        add(1, 8, 60);

        List<DeferredCall> taken = calls.take(10, 0);
        assertThat(taken).hasSize(1);
        assertThat(taken.get(0).attempt()).isEqualTo(9);
        assertThat(taken.get(0).untilNanos())
                .as("the node may remember for as long")
                .isEqualTo(100);
        assertThat(calls.isEmpty()).isTrue();
    }

    @Test
    void whatTheNodeForgetsSoonestIsDroppedFirst() {
        for (int i = 0; i < 2 * MOST; i++) {
            add(i, 1, i % 2 == 0 ? 1_000_000 + i : i + 1);
        }
        List<DeferredCall> kept = calls.take(2 * MOST, 0);

        assertThat(kept)
                .hasSize(MOST)
                .allSatisfy(call -> assertThat(call.untilNanos()).isGreaterThanOrEqualTo(1_000_000));
    }

    @Test
    void whatDoesNotMatterAnyMoreIsNotTold() {
        add(1, 1, 10);
        add(2, 1, 30);

        assertThat(calls.take(10, 20))
                .extracting(call -> call.key().owner().low())
                .containsExactly(2L);
    }

    @Test
    void whatWasPutBackDoesNotReplaceALaterWord() {
        add(1, 1, 10);
        DeferredCall untold = calls.take(1, 0).get(0);
        add(1, 2, 10);
        calls.putBack(untold);

        assertThat(calls.take(10, 0)).extracting(DeferredCall::attempt).containsExactly(2L);
    }

    private void add(long owner, long attempt, long untilNanos) {
        calls.add(
                new DeferredCalls.Key(Topic.UNDO, "name", new OwnerId(0, owner)),
                attempt,
                () -> {
                    throw new AssertionError("not sent");
                },
                untilNanos);
    }
}
