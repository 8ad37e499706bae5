package dev.holdfast.bench;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** The engine on the memory store against the JDK's own locks. */
final class MemoryRuler {
    private static final int CROWD = 100;

    private MemoryRuler() {}

    /** Measures, prints, and returns whether all targets are met. */
    static boolean run(int rounds, long millis) throws InterruptedException {
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
        return met;
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
