package dev.holdfast.redis.redlock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.BareClient;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
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
    private static final int LAPS = 15;
    private static final int MOST_WARM_UP_LAPS = 60;
    private static final double COMPILER_AT_REST = 0.05;

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
            long oneRound = RedlockNodes.storeOf(one).claims().writeBack().grantsInOneRound()
                    + RedlockNodes.storeOf(other).claims().writeBack().grantsInOneRound();

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

    /**
     * Prints how five nodes compare with one, and the same of bare requests, which is what the machine allows: all take
     * turns in one process, warm, with the options that are shipped. Nothing here depends on the machine's speed.
     */
    @Test
    @Tag("full")
    void latencyOfFiveNodesBesideOne() throws InterruptedException, IOException {
        RedisNode single = RedisNode.start(rig);
        List<Integer> ports = new ArrayList<>();
        for (int node = 0; node < nodes.count(); node++) {
            ports.add(nodes.node(node).port());
        }
        try (BareClient five = nodes.client("fresh=true");
                BareClient one = new BareClient(single.url());
                BareRequests bareFive = new BareRequests(ports);
                BareRequests bareOne = new BareRequests(List.of(single.port()))) {
            five.store().ping();
            one.store().ping();
            List<IntToDoubleFunction> racers = List.of(
                    times -> measure(times, i -> pair(five, "measured-" + i % 100)),
                    times -> measure(times, i -> pair(one, "measured-" + i % 100)),
                    times -> measure(times, i -> bareFive.ask(3)),
                    times -> measure(times, i -> bareOne.ask(1)));
            CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
            double[][] micros = new double[racers.size()][LAPS];
            int lap = -MOST_WARM_UP_LAPS;
            while (lap < LAPS) {
                long compiled = compiler.getTotalCompilationTime();
                long begin = System.nanoTime();
                for (int i = 0; i < racers.size(); i++) {
                    double median = racers.get(i).applyAsDouble(PAIRS);
                    if (lap >= 0) {
                        micros[i][lap] = median;
                    }
                }
                double busy = (compiler.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - begin);
                lap = lap < 0 && busy < COMPILER_AT_REST ? 0 : lap + 1;
            }
            double[] ratios = new double[LAPS];
            Arrays.setAll(ratios, i -> micros[0][i] / micros[1][i]);
            System.out.printf(
                    Locale.ROOT,
                    "Redlock: acquire on five nodes %s µs, on one %s µs, ratio %s; bare requests to five %s µs, to one %s µs%n",
                    spread(micros[0]),
                    spread(micros[1]),
                    spread(ratios),
                    spread(micros[2]),
                    spread(micros[3]));
            assertThat(ratios).hasSize(LAPS).doesNotContain(0);
        }
    }

    private static String spread(double[] figures) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return String.format(
                Locale.ROOT, "%.1f (%.1f to %.1f)", sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }

    /** The median, in microseconds. */
    private static double measure(int times, IntToLongFunction step) {
        long[] nanos = new long[times];
        Arrays.setAll(nanos, step::applyAsLong);
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
