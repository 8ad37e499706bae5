package dev.holdfast.redis.redlock;

import static org.awaitility.Awaitility.await;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several clients take a few locks again and again, while nodes are paused, cut off, restarted without their memory, and
 * lose replies: no token is repeated or goes back, and no two claims overlap but those of readers (P1, P3, P4, P5).
 */
final class RedlockTokensTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration LEASE = Duration.ofMillis(400);
    private static final String OPTIONS = "fresh=true&nodeTimeout=50ms&maxLease=500ms";
    private static final long SEED = 20251115;

    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void twoThousandGrantsWithFaultsAreInOrder() throws InterruptedException {
        grantsWithFaultsAreInOrder(2_000);
    }

    @Test
    @Tag("full")
    void tenThousandGrantsWithFaultsAreInOrder() throws InterruptedException {
        grantsWithFaultsAreInOrder(10_000);
    }

    @Test
    void thousandGrantsToReadersAndWritersWithFaultsAreInOrder() throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        String url = nodes.urlBehindNetworks(OPTIONS);
        grantsWithFaultsAreInOrder(1_000, nodes, RedlockWorkers.reading(url, LEASE, SEED, 60));
    }

    private void grantsWithFaultsAreInOrder(int grants) throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        String url = nodes.urlBehindNetworks(OPTIONS);
        grantsWithFaultsAreInOrder(grants, nodes, new RedlockWorkers(url, LEASE, SEED));
    }

    private static void grantsWithFaultsAreInOrder(int grants, RedlockNodes nodes, RedlockWorkers started)
            throws InterruptedException {
        Faulty faulty = new Faulty(nodes, new Random(SEED));
        try (RedlockWorkers workers = started) {
            workers.workWhile(grants, PATIENCE, faulty::happen);
            nodes.heal();
            workers.end(faulty.report());
            Claimed.check(workers.history());
        }
    }

    /** What goes wrong, one thing after another; never more than two nodes at a time. */
    private static final class Faulty {
        private static final Duration PAUSE = Duration.ofMillis(120);

        private final RedlockNodes nodes;
        private final Random random;
        private int pauses;
        private int cuts;
        private int losses;
        private int lostReplies;

        Faulty(RedlockNodes nodes, Random random) {
            this.nodes = nodes;
            this.random = random;
        }

        void happen() throws InterruptedException {
            int one = random.nextInt(nodes.count());
            int other = random.nextInt(nodes.count());
            switch (random.nextInt(5)) {
                case 0 -> {
                    nodes.node(one).pause();
                    lastsAWhile();
                    nodes.node(one).resume();
                    pauses++;
                }
                case 1 -> {
                    nodes.network(one).blackHole(Direction.TO_SERVER);
                    nodes.network(other).blackHole(Direction.TO_CLIENT);
                    lastsAWhile();
                    nodes.heal();
                    cuts++;
                }
                case 2 -> {
                    nodes.network(one).refuse();
                    nodes.network(one).reset();
                    lastsAWhile();
                    nodes.heal();
                    cuts++;
                }
                case 3 -> {
                    for (int node = 0; node < nodes.count(); node++) {
                        nodes.network(node).dropReplies(3, message -> message.contains("EVALSHA"));
                    }
                    lastsAWhile();
                    nodes.heal();
                    lostReplies++;
                }
                default -> {
                    nodes.node(one).kill();
                    nodes.node(one).server().restartEmpty();
                    losses++;
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> nodes.node(one)
                                    .ask("EXISTS", "holdfast:rl:node")
                                    .equals(1L));
                }
            }
        }

        String report() {
            return pauses + " pauses, " + cuts + " cuts, " + losses + " losses of memory, " + lostReplies
                    + " times lost replies";
        }

        private void lastsAWhile() {
            long until = System.nanoTime() + PAUSE.toNanos();
            await().pollDelay(PAUSE).until(() -> System.nanoTime() - until >= 0);
        }
    }
}
