package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.Direction;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several clients take a few locks again and again, while nodes are paused, cut off, restarted without their memory, and
 * lose replies: no token is repeated or goes back, and no two claims overlap (P1, P3, P4).
 */
final class RedlockTokensTest {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration LEASE = Duration.ofMillis(400);
    private static final String OPTIONS = "fresh=true&nodeTimeout=50ms&maxLease=500ms";
    private static final int CLIENTS = 4;
    private static final int NAMES = 3;
    private static final long SEED = 20251115;

    @RegisterExtension
    final Rig rig = new Rig();

    private final Queue<Claimed> history = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean over = new AtomicBoolean();

    @Test
    void twoThousandGrantsWithFaultsAreInOrder() throws InterruptedException {
        grantsWithFaultsAreInOrder(2_000);
    }

    @Test
    @Tag("full")
    void tenThousandGrantsWithFaultsAreInOrder() throws InterruptedException {
        grantsWithFaultsAreInOrder(10_000);
    }

    private void grantsWithFaultsAreInOrder(int grants) throws InterruptedException {
        RedlockNodes nodes = RedlockNodes.start(rig, 5);
        List<BareClient> clients = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                // Every other client has no useful hints, so that the second round is needed often.
                RedlockRules rules = RedlockRules.sound();
                BareClient client = RedlockNodes.open(
                        nodes.urlBehindNetworks(OPTIONS), i % 2 == 0 ? rules : rules.with(new Hints(() -> 0)));
                clients.add(client);
                if (i == 0) {
                    client.store().ping();
                }
                Random random = new Random(SEED + i);
                Thread thread = new Thread(() -> takeAndGiveBack(client, random), "redlock-worker-" + i);
                thread.setUncaughtExceptionHandler((worker, failure) -> failures.add(failure));
                threads.add(thread);
                thread.start();
            }
            Faulty faulty = new Faulty(nodes, new Random(SEED));
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (history.size() < grants && failures.isEmpty() && System.nanoTime() - until < 0) {
                faulty.happen();
            }
            System.out.println(history.size() + " grants with " + faulty.report() + "; in two rounds: "
                    + clients.stream()
                            .mapToLong(client ->
                                    RedlockNodes.storeOf(client).claims().grantsInTwoRounds())
                            .sum());
        } finally {
            over.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            nodes.heal();
            clients.forEach(BareClient::close);
        }
        assertThat(failures).isEmpty();
        assertThat(history).hasSizeGreaterThanOrEqualTo(grants);
        Claimed.check(List.copyOf(history));
    }

    private void takeAndGiveBack(BareClient client, Random random) {
        while (!over.get()) {
            Claim claim =
                    BareClient.claim(LEASE, "name-" + random.nextInt(NAMES)).queued(false);
            try {
                takeOnce(client, claim, random);
            } catch (StoreUnavailableException unknown) {
                withdraw(client, claim);
            }
        }
    }

    private void takeOnce(BareClient client, Claim claim, Random random) {
        long asked = BareClient.nanos();
        if (!(client.store().tryAcquire(claim) instanceof AcquireOutcome.Granted granted)) {
            return;
        }
        Grant grant = granted.grants().get(0);
        long returned = BareClient.nanos();
        long valid = Objects.requireNonNull(grant.validFor()).toNanos();
        long deadline = asked + valid - valid / 100 - 2_000_000;
        if (random.nextInt(100) == 0) {
            // Some hold it for longer, and some die with it.
            LockSupport.parkNanos(random.nextLong(2 * LEASE.toNanos()));
        }
        boolean dies = random.nextInt(200) == 0;
        long ended = dies ? deadline : Math.min(deadline, BareClient.nanos());
        history.add(new Claimed(grant.name(), grant.epoch(), asked, returned, ended));
        if (!dies) {
            client.store().release(List.of(grant));
        }
    }

    private static void withdraw(BareClient client, Claim claim) {
        try {
            client.store().withdraw(claim, true);
        } catch (StoreUnavailableException again) {
            // The claim's lease ends it.
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
