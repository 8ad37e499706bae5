package dev.holdfast.bench;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How much heap a held lease takes, in the client and in the memory store together. */
final class Footprint {
    private static final int COUNT = 100_000;
    private static final int MOST_BYTES = 1_024;

    private Footprint() {}

    static boolean run(PrintStream out) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect("memory:")) {
            try (Lease warmUp = locks.lock("warm-up").acquire()) {
                warmUp.ensureHeld();
            }
            List<Lease> held = new ArrayList<>(COUNT);
            String[] names = new String[COUNT];
            for (int i = 0; i < COUNT; i++) {
                names[i] = "name-" + i;
            }
            int threadsBefore = Thread.activeCount();
            long before = usedAfterCollection();
            for (String name : names) {
                held.add(locks.lock(name).acquire());
            }
            long bytes = (usedAfterCollection() - before) / COUNT;
            int threads = Thread.activeCount() - threadsBefore;
            out.printf(
                    Locale.ROOT,
                    "%-28s %,d leases held: %d bytes each, %d more threads  target %d  %s%n",
                    "footprint",
                    held.size(),
                    bytes,
                    threads,
                    MOST_BYTES,
                    bytes <= MOST_BYTES ? "met" : "NOT MET");
            held.forEach(Lease::close);
            return bytes <= MOST_BYTES;
        }
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
