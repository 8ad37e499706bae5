package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.redis.BareClient;
import dev.holdfast.redis.Direct;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.rig.tls.Certificates;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreUri;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes that fall silent, while the others go on. Nobody's timeout is short here, so whoever waits for one is noticed. */
final class RedlockSilentNodesTest {
    private static final Duration LEASE = Duration.ofSeconds(25);
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(4);
    private static final Duration NETWORK = Duration.ofMillis(2);
    private static final int PAIRS_BEFORE = 20;
    private static final int THREADS = 24;

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void nobodyWaitsForASilentNodeThatUsuallyAnswersFirst() throws InterruptedException {
        nobodyWaitsForASilentNode(RedlockNodes.start(rig, 5), "redlock", "");
    }

    @Test
    void nobodyWaitsForASilentNodeOverTls() throws InterruptedException {
        Certificates certificates = Certificates.forLocalhost(rig);
        nobodyWaitsForASilentNode(
                RedlockNodes.start(rig, 5, RedisSettings.defaults().withTls(certificates)),
                "redlock+tls",
                "&ca=" + certificates.authorityFile());
    }

    /** Threads do not stay awake for near answers, as on any network that is not a loopback. */
    private void nobodyWaitsForASilentNode(RedlockNodes nodes, String scheme, String more) {
        String url = nodes.urlBehindNetworks(options() + more).replace("redlock:", scheme + ":");
        try (BareClient client = asleep(url)) {
            client.store().ping();
            for (int node = 1; node < nodes.count(); node++) {
                nodes.network(node).delay(Direction.TO_CLIENT, NETWORK);
            }
            for (int i = 0; i < PAIRS_BEFORE; i++) {
                giveBack(client, client.take(BareClient.claim(LEASE, "before").queued(false)));
            }
            nodes.network(0).blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);

            long begin = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                giveBack(client, client.take(BareClient.claim(LEASE, "beside").queued(false)));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("three times of everything, while one node has %s to answer", NODE_TIMEOUT)
                    .isLessThan(NODE_TIMEOUT.dividedBy(4));
            nodes.heal();
        }
    }

    /** All connections are open and in use when two of five nodes fall silent. */
    @Test
    void everyCallOfABusyClientEndsWithoutTheSilentNodes() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (BareClient client = asleep(nodes.urlBehindNetworks(options()))) {
            client.store().ping();
            all(threads, i -> giveBack(client, client.take(BareClient.claim(LEASE, "warm" + i))));
            List<List<Grant>> held = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                held.add(client.take(BareClient.claim(LEASE, "held" + i)));
            }
            await().atMost(LEASE.dividedBy(2)).until(() -> isHeldEverywhere(nodes));
            nodes.network(1).blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);
            nodes.network(3).blackHole(Direction.TO_SERVER, Direction.TO_CLIENT);

            long begin = System.nanoTime();
            all(threads, i -> giveBack(client, client.take(BareClient.claim(LEASE, "new" + i))));
            all(
                    threads,
                    i -> assertThat(client.store().tryAcquire(BareClient.claim(LEASE, "held" + i)))
                            .isInstanceOf(AcquireOutcome.Contended.class));
            all(threads, i -> giveBack(client, held.get(i)));
            assertThat(client.store().list("held", 1)).isEmpty();
            assertThat(client.store().inspect("held0")).isEmpty();
            client.store().ping();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("everything, while two nodes have %s to answer", NODE_TIMEOUT)
                    .isLessThan(NODE_TIMEOUT.multipliedBy(3).dividedBy(2));
            nodes.heal();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Two nodes are another's and two are free: nobody can say that the fifth is missing for that. */
    @Test
    void majorityThatAnsweredIsNotInDoubtBecauseOneNodeIsSilent() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        try (BareClient client = nodes.client("fresh=true&nodeTimeout=300ms")) {
            client.store().ping();
            RedlockCalls calls = new RedlockCalls("holdfast", RedlockCalls.Fencing.SOUND);
            Claim other = BareClient.claim(LEASE, "divided").queued(false);
            for (int node : new int[] {0, 1}) {
                Direct.ask(nodes.node(node), calls.acquire(other, 1, 1).get());
            }
            nodes.node(4).pause();

            for (int i = 0; i < 3; i++) {
                assertThat(client.store()
                                .tryAcquire(BareClient.claim(LEASE, "divided").queued(false)))
                        .isInstanceOf(AcquireOutcome.Contended.class);
            }
            List<AcquireOutcome> together =
                    client.store().poll(List.of(BareClient.claim(LEASE, "divided"), BareClient.claim(LEASE, "free")));
            assertThat(together.get(0)).isInstanceOf(AcquireOutcome.Contended.class);
            assertThat(together.get(1)).isInstanceOf(AcquireOutcome.Granted.class);
            nodes.node(4).resume();
            await().atMost(LEASE.dividedBy(2)).untilAsserted(() -> {
                for (int node : new int[] {2, 3, 4}) {
                    assertThat(nodes.lengthOf(node, "divided"))
                            .as("node %s is free", node)
                            .isLessThanOrEqualTo(RedlockNodes.FREE_BYTES);
                }
            });
        }
    }

    private static boolean isHeldEverywhere(RedlockNodes nodes) {
        for (int i = 0; i < THREADS; i++) {
            for (int node = 0; node < nodes.count(); node++) {
                if (nodes.lengthOf(node, "held" + i) <= RedlockNodes.FREE_BYTES) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void all(ExecutorService threads, IntConsumer step) {
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int index = i;
            running.add(CompletableFuture.runAsync(() -> step.accept(index), threads));
        }
        running.forEach(CompletableFuture::join);
    }

    private static void giveBack(BareClient client, List<Grant> grants) {
        assertThat(client.store().release(grants)).containsOnly(ReleaseOutcome.RELEASED);
    }

    private static String options() {
        return "fresh=true&nodeTimeout=" + NODE_TIMEOUT.toSeconds() + "s";
    }

    private static BareClient asleep(String url) {
        return new BareClient(context -> RedlockStore.open(
                StoreUri.parse(url, Map.of(), null), context.withStayAwake(false), RedlockRules.sound()));
    }
}
