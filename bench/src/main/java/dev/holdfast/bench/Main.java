package dev.holdfast.bench;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Runs the benchmark of the engine on the memory store; see {@code bench/run --help}. */
public final class Main {
    private static final int CROWD = 100;

    private Main() {}

    /**
     * Runs it.
     *
     * @param arguments {@code --rounds N}, {@code --millis N}
     * @throws InterruptedException if stopped
     */
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = 7;
        long millis = 700;
        Iterator<String> words = Arrays.asList(arguments).iterator();
        while (words.hasNext()) {
            switch (words.next()) {
                case "--rounds" -> rounds = Integer.parseInt(words.next());
                case "--millis" -> millis = Long.parseLong(words.next());
                default -> throw new IllegalArgumentException("usage: bench/run [--rounds N] [--millis N]");
            }
        }
        System.out.printf(
                "Java %s, %d processors%n",
                Runtime.version(), Runtime.getRuntime().availableProcessors());
        System.out.printf("%-28s %12s %12s  %-22s %7s%n", "scenario", "ours/s", "theirs/s", "against", "ratio");
        boolean met = true;
        try (Holdfast locks = Holdfast.connect("memory:")) {
            Contestant plain = holdfast(locks.lock("plain"));
            Contestant sticky =
                    holdfast(locks.lock("sticky", LockOptions.defaults().withStickyFor(Duration.ofSeconds(10))));
            Race solo = new Race(1, Duration.ofMillis(millis));
            Race hot = new Race(CROWD, Duration.ofMillis(millis));
            met &= new Comparison("solo", "ReentrantLock", 1.0 / 40)
                    .run(solo, plain, jdk(new ReentrantLock()), rounds, System.out);
            met &= new Comparison("solo-sticky", "ReentrantLock", 1.0 / 40)
                    .run(solo, sticky, jdk(new ReentrantLock()), rounds, System.out);
            met &= new Comparison("hot-100-threads", "fair ReentrantLock", 0.5)
                    .run(hot, plain, jdk(new ReentrantLock(true)), rounds, System.out);
            met &= new Comparison("hot-100-threads-sticky", "fair ReentrantLock", 0.5)
                    .run(hot, sticky, jdk(new ReentrantLock(true)), rounds, System.out);
        }
        met &= Waiters.async(System.out);
        met &= Waiters.virtual(System.out);
        met &= Footprint.run(System.out);
        System.out.println(met ? "all targets met" : "NOT all targets met");
        System.exit(met ? 0 : 1);
    }

    private static Contestant holdfast(DistributedLock lock) {
        return work -> {
            try (Lease lease = lock.acquire()) {
                work.run();
            }
        };
    }

    private static Contestant jdk(Lock lock) {
        return work -> {
            lock.lock();
            try {
                work.run();
            } finally {
                lock.unlock();
            }
        };
    }
}
