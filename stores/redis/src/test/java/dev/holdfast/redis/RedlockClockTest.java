package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes whose clocks are put forward and back: two clients may then hold one lock, but tokens still say who is later. */
final class RedlockClockTest {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    final Rig rig = new Rig();

    private final List<SteppedClockNode> nodes = new ArrayList<>();

    @BeforeEach
    void start() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            nodes.add(SteppedClockNode.start(rig));
        }
    }

    @Test
    void clocksOfAMajorityThatArePutForwardEndALeaseEarlyButTheTokenIsLarger() {
        try (BareClient client = client()) {
            Grant first = client.take(claim()).get(0);
            assertThat(client.store().tryAcquire(claim())).isInstanceOf(AcquireOutcome.Contended.class);
            nodes.subList(0, 3).forEach(node -> node.step(HOUR));
            Grant second = takeInTheEnd(client);

            assertThat(second.epoch()).isGreaterThan(first.epoch());
        }
    }

    @Test
    void tokensGrowWhenClocksGoBack() {
        try (BareClient client = client()) {
            nodes.forEach(node -> node.step(HOUR));
            Grant first = takeInTheEnd(client);
            client.store().release(List.of(first));
            nodes.forEach(node -> node.step(HOUR.negated()));
            Grant second = takeInTheEnd(client);
            client.store().release(List.of(second));
            nodes.subList(1, 4).forEach(node -> node.step(Duration.ZERO));

            assertThat(second.epoch()).isGreaterThan(first.epoch());
            assertThat(takeInTheEnd(client).epoch()).isGreaterThan(second.epoch());
        }
    }

    @Test
    void clockOfOneNodeDoesNotEndALease() {
        try (BareClient client = client()) {
            Grant held = client.take(claim()).get(0);
            nodes.get(0).step(HOUR);
            nodes.get(4).step(HOUR.negated());

            assertThat(client.store().tryAcquire(claim())).isNotInstanceOf(AcquireOutcome.Granted.class);
            assertThat(client.store().release(List.of(held))).hasSize(1);
        }
    }

    private Grant takeInTheEnd(BareClient client) {
        List<Grant> taken = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            if (client.store().tryAcquire(claim()) instanceof AcquireOutcome.Granted granted) {
                taken.addAll(granted.grants());
            }
            return !taken.isEmpty();
        });
        return taken.get(0);
    }

    private BareClient client() {
        return RedlockNodes.open(
                nodes.stream()
                        .map(node -> "127.0.0.1:" + node.port())
                        .collect(Collectors.joining(",", "redlock://", "#" + RedlockNodes.CALM)),
                RedlockRules.sound());
    }

    private static Claim claim() {
        return BareClient.claim(LEASE, "stepped").queued(false);
    }
}
