package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a node may still hold for a client that has gone on, and is told when it can be told. */
final class RedlockLeftoversTest {
    private static final Duration LEASE = Duration.ofSeconds(28);

    /** Well before the lease would end it. */
    private static final Duration SOON = Duration.ofSeconds(14);

    private static final String OPTIONS = "fresh=true&nodeTimeout=500ms";
    private static final int RENEWED_EVERY = 1_000;
    private static final int MORE_THAN_ARE_KEPT = 10_100;

    @RegisterExtension
    final Rig rig = new Rig();

    private final RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
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

    @Test
    void grantWhoseReplyWasLostIsTakenBackAlsoIfTheNextConnectionIsRefused() throws InterruptedException {
        try (BareClient client = behindNetworks()) {
            tryAndLoseTheReply(client);
            nodes.heal();
            untilFree(0, "lost");
        }
    }

    @Test
    void grantWhoseReplyWasLostIsTakenBackByClosing() throws InterruptedException {
        try (BareClient client = behindNetworks()) {
            tryAndLoseTheReply(client);
            nodes.heal();
        }
        untilFree(0, "lost");
    }

    /** The others refuse; the first node grants, its reply is lost, and so is every new connection. */
    private void tryAndLoseTheReply(BareClient client) throws InterruptedException {
        warm(client);
        Claim other = BareClient.claim(LEASE, "lost").queued(false);
        Direct.ask(nodes.node(1), calls.acquire(other, 1, 1).get());
        Direct.ask(nodes.node(2), calls.acquire(other, 1, 1).get());
        nodes.network(0).refuse();
        nodes.network(0).resetOn(Direction.TO_CLIENT, 1, reply -> true);

        assertThat(client.store().tryAcquire(BareClient.claim(LEASE, "lost").queued(false)))
                .isInstanceOf(AcquireOutcome.Contended.class);
        await().atMost(SOON).until(() -> nodes.network(0).caught() == 1);
        assertThat(nodes.lengthOf(0, "lost")).as("it was granted").isGreaterThan(RedlockNodes.FREE_BYTES);
    }

    @Test
    void whatAFullNodeRefusesToDoIsToldAgain() {
        whatANodeRefusesToDoIsToldAgain("maxmemory", "OOM");
    }

    @Test
    void whatANodeThatMayNotWriteRefusesToDoIsToldAgain() {
        whatANodeRefusesToDoIsToldAgain("min-replicas-to-write", "NOREPLICAS");
    }

    /** Such a node answers, but does not do what it is told. */
    private void whatANodeRefusesToDoIsToldAgain(String setting, String error) {
        try (BareClient client = behindNetworks()) {
            warm(client);
            List<Grant> held = client.take(BareClient.claim(LEASE, "refused"));
            untilHeldEverywhere("refused");
            nodes.node(0).ask("CONFIG", "SET", setting, "1");
            giveBack(client, held);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(refusals(error))
                            .as("it was asked to release it, and told to")
                            .isGreaterThanOrEqualTo(2));
            assertThat(nodes.lengthOf(0, "refused")).as("it still holds it").isGreaterThan(RedlockNodes.FREE_BYTES);
            nodes.node(0).ask("CONFIG", "SET", setting, "0");

            untilFree(0, "refused");
        }
    }

    private long refusals(String error) {
        String said = String.valueOf(nodes.node(0).ask("INFO", "errorstats"));
        Matcher count = Pattern.compile("errorstat_" + error + ":count=(\\d+)").matcher(said);
        return count.find() ? Long.parseLong(count.group(1)) : 0;
    }

    @Test
    void whatASilentNodeNeverHeardOfDoesNotCrowdOutWhatItHolds() {
        try (BareClient client = behindNetworks()) {
            warm(client);
            long taken = System.nanoTime();
            List<Grant> held = client.take(BareClient.claim(LEASE, "matters"));
            untilHeldEverywhere("matters");
            nodes.network(0).blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            for (int i = 0; i < MORE_THAN_ARE_KEPT; i++) {
                giveBack(client, client.take(BareClient.claim(LEASE, "beside").queued(false)));
                if (i % RENEWED_EVERY == 0) {
                    // A busy machine may need longer than a lease for all of this.
                    assertThat(client.store().renew(held)).hasOnlyElementsOfType(RenewOutcome.Renewed.class);
                }
            }
            // The silent node hears of no renewal: what has expired there need not be given back any more.
            assumeTrue(
                    System.nanoTime() - taken < LEASE.toNanos(),
                    "this machine is too slow: the lock at the silent node ended by itself");
            giveBack(client, held);
            nodes.heal();

            untilFree(0, "matters");
        }
    }

    private void untilHeldEverywhere(String name) {
        await().atMost(SOON).untilAsserted(() -> {
            for (int node = 0; node < nodes.count(); node++) {
                assertThat(nodes.lengthOf(node, name)).isGreaterThan(RedlockNodes.FREE_BYTES);
            }
        });
    }

    private void untilFree(int node, String name) {
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(nodes.lengthOf(node, name)).isLessThanOrEqualTo(RedlockNodes.FREE_BYTES));
    }

    private static void warm(BareClient client) {
        client.store().ping();
        giveBack(client, client.take(BareClient.claim(LEASE, "warm").queued(false)));
    }

    private static void giveBack(BareClient client, List<Grant> grants) {
        assertThat(client.store().release(grants)).containsOnly(ReleaseOutcome.RELEASED);
    }

    private BareClient behindNetworks() {
        return RedlockNodes.open(nodes.urlBehindNetworks(OPTIONS), RedlockRules.sound());
    }
}
