package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How often one round is enough, how clients that want the same get on, and how five nodes compare with one. */
final class RedlockPaceTest {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final int PAIRS = 1_000;
    private static final int CLIENTS = 3;
    private static final int GRANTS_EACH = 60;
    private static final double FAST_PATH = 0.95;
    private static final int WARM_UPS = 3_000;
    private static final int MEASURED = 3_000;

    @RegisterExtension
    final Rig rig = new Rig();

    private RedlockNodes nodes;

    @BeforeEach
    void start() throws InterruptedException {
        nodes = RedlockNodes.start(rig, 5);
    }

    @Test
    void oneRoundIsEnoughForUncontendedAcquires() throws InterruptedException {
        try (BareClient one = nodes.client(RedlockNodes.CALM);
                BareClient other = nodes.client(RedlockNodes.CALM)) {
            one.store().ping();
            List<Thread> threads = new ArrayList<>();
            for (BareClient client : List.of(one, other)) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < PAIRS; i++) {
                        pair(client, "name-" + client.hashCode() + "-" + i % 20);
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            long oneRound = RedlockNodes.storeOf(one).claims().grantsInOneRound()
                    + RedlockNodes.storeOf(other).claims().grantsInOneRound();

            System.out.println("Redlock: one round was enough for " + oneRound + " of " + 2 * PAIRS + " grants");
            assertThat(oneRound).isGreaterThanOrEqualTo((long) (FAST_PATH * 2 * PAIRS));
        }
    }

    @Test
    void clientsThatFightForOneLockAllMakeProgress() throws InterruptedException {
        AtomicIntegerArray grants = new AtomicIntegerArray(CLIENTS);
        AtomicInteger refusals = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        List<BareClient> clients = new ArrayList<>();
        long begin = System.nanoTime();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                BareClient client = nodes.client(RedlockNodes.CALM);
                clients.add(client);
                client.store().ping();
                int index = i;
                Thread thread = new Thread(() -> {
                    while (grants.get(index) < GRANTS_EACH) {
                        Claim claim = BareClient.claim(LEASE, "fought for").queued(false);
                        if (client.store().tryAcquire(claim) instanceof AcquireOutcome.Granted granted) {
                            grants.incrementAndGet(index);
                            client.store().release(granted.grants());
                        } else {
                            refusals.incrementAndGet();
                        }
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            clients.forEach(BareClient::close);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "Redlock: %d clients without waiting fought for one lock: %.0f grants/s, %d refusals%n",
                CLIENTS,
                CLIENTS * GRANTS_EACH / seconds,
                refusals.get());
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(grants.get(i)).isEqualTo(GRANTS_EACH);
        }
    }

    /** Prints the ratio that the benchmark asserts; nothing here depends on the machine's speed. */
    @Test
    @Tag("full")
    void latencyOfFiveNodesBesideOne() throws InterruptedException {
        RedisNode single = RedisNode.start(rig);
        try (BareClient five = nodes.client(RedlockNodes.CALM);
                BareClient one = new BareClient(single.url())) {
            five.store().ping();
            one.store().ping();
            measure(five, WARM_UPS);
            measure(one, WARM_UPS);
            double fiveMicros = 0;
            double oneMicros = 0;
            for (int round = 0; round < 3; round++) {
                fiveMicros += measure(five, MEASURED);
                oneMicros += measure(one, MEASURED);
            }
            System.out.printf(
                    Locale.ROOT,
                    "Redlock: median acquire on five nodes %.0f µs, on one %.0f µs, ratio %.2f%n",
                    fiveMicros / 3,
                    oneMicros / 3,
                    fiveMicros / oneMicros);
            assertThat(fiveMicros).isPositive();
        }
    }

    /** The median of an acquire, in microseconds. */
    private static double measure(BareClient client, int times) {
        long[] nanos = new long[times];
        for (int i = 0; i < times; i++) {
            nanos[i] = pair(client, "measured-" + i % 100);
        }
        Arrays.sort(nanos);
        return nanos[times / 2] / 1e3;
    }

    private static long pair(BareClient client, String name) {
        Claim claim = BareClient.claim(LEASE, name).queued(false);
        long begin = System.nanoTime();
        Grant grant = client.take(claim).get(0);
        long nanos = System.nanoTime() - begin;
        client.store().release(List.of(grant));
        return nanos;
    }
}
