package dev.holdfast.bench.zookeeper;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs the comparison; see {@code bench/run-zookeeper --help}. */
public final class ZooKeeperBench {
    private static final int PAIRS_PER_TURN = 10;
    private static final int HAND_OVERS = 60;
    private static final Duration WAITER_SETTLES = Duration.ofMillis(20);

    private final String server;
    private final int rounds;
    private final long millis;
    private boolean met = true;

    private ZooKeeperBench(String server, int rounds, long millis) {
        this.server = server;
        this.rounds = rounds;
        this.millis = millis;
    }

    /**
     * Runs it.
     *
     * @param arguments as in the help text
     * @throws Exception if it cannot be run
     */
    @SuppressWarnings("InterruptedExceptionSwallowed") // Nobody interrupts the main thread of this process.
    public static void main(String[] arguments) throws Exception {
        int rounds = 5;
        long millis = 3_000;
        boolean synchronous = true;
        String only = "";
        Iterator<String> words = Arrays.asList(arguments).iterator();
        while (words.hasNext()) {
            switch (words.next()) {
                case "--rounds" -> rounds = Integer.parseInt(words.next());
                case "--millis" -> millis = Long.parseLong(words.next());
                case "--no-sync" -> synchronous = false;
                case "--scenario" -> only = words.next();
                default -> throw new IllegalArgumentException("see bench/run-zookeeper --help");
            }
        }
        ZooKeeperSettings settings =
                ZooKeeperSettings.defaults().withTick(Duration.ofSeconds(2)).forMeasurements();
        try (Rig rig = new Rig()) {
            ZooKeeperNode node = ZooKeeperNode.start(rig, synchronous ? settings.withSynchronousWrites() : settings);
            System.out.printf(
                    "Java %s, %d processors, ZooKeeper %s%n",
                    Runtime.version(),
                    Runtime.getRuntime().availableProcessors(),
                    synchronous ? "with forceSync=yes (its default)" : "with forceSync=no");
            ZooKeeperBench bench = new ZooKeeperBench(node.address(), rounds, millis);
            for (String scenario : List.of("solo", "hot-2x4", "hot-2x100", "hot-6x1", "hand-over")) {
                if (only.isEmpty() || only.equals(scenario)) {
                    bench.run(scenario);
                }
            }
            System.out.println(bench.met ? "all targets met" : "NOT all targets met");
        }
    }

    private void run(String scenario) throws Exception {
        switch (scenario) {
            case "solo" -> {
                solo(Maker.BARE, 0.9);
                solo(Maker.CURATOR, 1.3);
            }
            case "hot-2x4" -> race(scenario, Maker.CURATOR, 2, 4, 100);
            case "hot-2x100" -> race(scenario, Maker.CURATOR, 2, 100, 200);
            case "hot-6x1" -> race(scenario, Maker.CURATOR, 6, 1, 1.2);
            default -> handOver();
        }
    }

    /** One thread alone. The two take turns every few pairs, so that whatever else the machine does hits both. */
    private void solo(Maker against, double target) throws Exception {
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        try (Maker.Locks our = Maker.HOLDFAST.open(server);
                Maker.Locks their = against.open(server)) {
            Maker.Mutex ourMutex = our.mutex("solo");
            Maker.Mutex theirMutex = their.mutex("solo");
            for (int round = 0; round <= rounds; round++) {
                List<Double> ourTimes = new ArrayList<>();
                List<Double> theirTimes = new ArrayList<>();
                long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2 * millis);
                while (System.nanoTime() < until) {
                    theirTimes.add(nanosPerPair(theirMutex));
                    ourTimes.add(nanosPerPair(ourMutex));
                }
                if (round > 0) {
                    ours.add(1e9 / median(ourTimes));
                    theirs.add(1e9 / median(theirTimes));
                    ratios.add(median(theirTimes) / median(ourTimes));
                }
            }
        }
        report("solo", against, median(ours), median(theirs), ratios, target, median(ratios) >= target);
    }

    private static double nanosPerPair(Maker.Mutex mutex) throws Exception {
        long begin = System.nanoTime();
        for (int i = 0; i < PAIRS_PER_TURN; i++) {
            mutex.lock().unlock();
        }
        return (double) (System.nanoTime() - begin) / PAIRS_PER_TURN;
    }

    /** Pairs of acquire and release a second, all processes together. */
    private void race(String scenario, Maker against, int processes, int threads, double target)
            throws IOException, InterruptedException {
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            double their = heat(against, processes, threads);
            double our = heat(Maker.HOLDFAST, processes, threads);
            ours.add(our);
            theirs.add(their);
            ratios.add(our / their);
        }
        report(scenario, against, median(ours), median(theirs), ratios, target, median(ratios) >= target);
    }

    private double heat(Maker maker, int processes, int threads) throws IOException, InterruptedException {
        List<Process> running = new ArrayList<>();
        List<BufferedReader> outputs = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                Process process = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx512m",
                                "-classpath",
                                System.getProperty("java.class.path"),
                                Worker.class.getName(),
                                maker.name(),
                                server,
                                "raced",
                                Integer.toString(threads),
                                Long.toString(millis))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                running.add(process);
                outputs.add(process.inputReader(StandardCharsets.UTF_8));
            }
            for (BufferedReader output : outputs) {
                expect("ready", output.readLine());
            }
            for (Process process : running) {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            }
            double sum = 0;
            for (BufferedReader output : outputs) {
                sum += Double.parseDouble(output.readLine());
            }
            for (Process process : running) {
                process.waitFor(1, TimeUnit.MINUTES);
            }
            return sum;
        } finally {
            running.forEach(Process::destroyForcibly);
        }
    }

    private static void expect(String wanted, String line) {
        if (!wanted.equals(line)) {
            throw new IllegalStateException("a worker said '" + line + "' instead of '" + wanted + "'");
        }
    }

    /** The time from the release by one client until another, which has been waiting for a while, has the lock. */
    private void handOver() throws Exception {
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round <= rounds; round++) {
            double their = handOverMicros(Maker.CURATOR);
            double our = handOverMicros(Maker.HOLDFAST);
            if (round > 0) {
                ours.add(our);
                theirs.add(their);
                ratios.add(our / their);
            }
        }
        double target = 0.8;
        report("hand-over, µs", Maker.CURATOR, median(ours), median(theirs), ratios, target, median(ratios) <= target);
    }

    private double handOverMicros(Maker maker) throws Exception {
        List<Double> samples = new ArrayList<>();
        try (Maker.Locks one = maker.open(server);
                Maker.Locks other = maker.open(server)) {
            for (int i = 0; i < HAND_OVERS; i++) {
                Maker.Held held = one.mutex("handed").lock();
                CountDownLatch done = new CountDownLatch(1);
                long[] acquired = new long[1];
                Thread waiter = new Thread(() -> waitForIt(other.mutex("handed"), acquired, done));
                waiter.start();
                TimeUnit.NANOSECONDS.sleep(WAITER_SETTLES.toNanos());
                long released = System.nanoTime();
                held.unlock();
                done.await();
                waiter.join();
                samples.add((acquired[0] - released) / 1e3);
            }
        }
        return median(samples);
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // Nobody interrupts the waiter.
    private static void waitForIt(Maker.Mutex mutex, long[] acquired, CountDownLatch done) {
        try {
            Maker.Held held = mutex.lock();
            acquired[0] = System.nanoTime();
            held.unlock();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        } finally {
            done.countDown();
        }
    }

    private void report(
            String scenario,
            Maker against,
            double ours,
            double theirs,
            List<Double> ratios,
            double target,
            boolean reached) {
        met &= reached;
        System.out.printf(
                Locale.ROOT,
                "%-16s %,12.0f %,12.0f  %-8s ratio %8.3f  (%.3f to %.3f)  target %.1f  %s%n",
                scenario,
                ours,
                theirs,
                against.name().toLowerCase(Locale.ROOT),
                median(ratios),
                ratios.stream().min(Double::compare).orElseThrow(),
                ratios.stream().max(Double::compare).orElseThrow(),
                target,
                reached ? "met" : "NOT MET");
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
