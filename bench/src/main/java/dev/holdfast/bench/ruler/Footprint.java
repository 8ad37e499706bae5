package dev.holdfast.bench.ruler;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** How much heap a held lease takes; on the memory store, in the client and in the store together. */
final class Footprint {
    private static final int COLLECTIONS = 3;

    private Footprint() {}

    static Outing of(String url, int leases) throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url)) {
            try (Lease warmUp = locks.lock("warm-up").acquire()) {
                warmUp.ensureHeld();
            }
            List<Lease> held = new ArrayList<>(leases);
            String[] names = new String[leases];
            for (int i = 0; i < leases; i++) {
                names[i] = "name-" + i;
            }
            int threadsBefore = Thread.activeCount();
            long before = usedAfterCollection();
            for (String name : names) {
                held.add(locks.lock(name).acquire());
            }
            double bytes = (usedAfterCollection() - before) / (double) leases;
            int threads = Thread.activeCount() - threadsBefore;
            held.forEach(Lease::close);
            return new Outing(Map.of(Figure.BYTES_PER_LEASE, bytes, Figure.MORE_THREADS, (double) threads));
        }
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
