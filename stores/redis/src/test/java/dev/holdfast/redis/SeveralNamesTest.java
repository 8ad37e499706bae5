package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A waiter for several names is served by the release of one of them, as soon as nobody who is there is in its way. */
final class SeveralNamesTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration BRIEF = Duration.ofMillis(100);

    /** Nobody in these tests asks by itself, so that a waiter that is not served by a release is not served. */
    private static final Duration SOON = Duration.ofSeconds(5);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    private BareClient client;
    private List<Grant> held;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
    }

    @BeforeEach
    void connect() {
        redis.ask("FLUSHALL");
        client = new BareClient(redis.url());
        held = client.take(BareClient.claim(LEASE, "one"));
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void leaseOfAnotherNameThatIsOverIsNotInTheWay() {
        client.take(BareClient.claim(BRIEF, "other"));
        Claim both = both();
        await().atMost(SOON)
                .until(() -> client.store()
                        .inspect("other")
                        .map(view -> view.holders().isEmpty())
                        .orElse(true));

        assertServedByTheRelease(both);
    }

    @Test
    void waiterForAnotherNameThatCannotBeToldIsNotInTheWay() throws InterruptedException {
        List<Grant> other = client.take(BareClient.claim(LEASE, "other"));
        BareClient dead = new BareClient(redis.url());
        dead.store().tryAcquire(BareClient.claim(LEASE, "other"));
        dead.close();
        await().until(() -> redis.ask("PUBSUB", "CHANNELS").toString().split(",").length == 1);
        Claim both = both();
        assertThat(client.store().release(other)).containsExactly(ReleaseOutcome.RELEASED);

        assertServedByTheRelease(both);
    }

    @Test
    void waiterForAnotherNameThatIsThereIsInTheWay() throws InterruptedException {
        List<Grant> other = client.take(BareClient.claim(LEASE, "other"));
        Claim before = BareClient.claim(LEASE, "other");
        client.store().tryAcquire(before);
        Claim both = both();
        client.store().release(held);
        assertThat(client.pushed).isEmpty();
        client.store().release(other);
        await().atMost(SOON).until(() -> !client.pushed.isEmpty());

        assertThat(client.pushed).hasSize(1);
        assertThat(client.pushed.peek().get(0).owner()).isEqualTo(before.owner());
        assertThat(client.isGranted(both)).isFalse();
    }

    private Claim both() {
        Claim both = BareClient.claim(LEASE, "one", "other");
        assertThat(client.store().tryAcquire(both)).isInstanceOf(AcquireOutcome.Contended.class);
        return both;
    }

    private void assertServedByTheRelease(Claim claim) {
        client.store().release(held);
        await().atMost(SOON).until(() -> !client.pushed.isEmpty());
        assertThat(client.pushed.peek())
                .hasSize(2)
                .allMatch(grant -> grant.owner().equals(claim.owner()));
    }
}
