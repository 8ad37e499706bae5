package dev.holdfast.bench.ruler;

import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** How much heap of its client a held lock takes; on the memory store, of client and store together. */
final class Footprint {
    private static final int COLLECTIONS = 3;
    private static final int TO_LOAD_CLASSES = 100;

    private final Locks locks;
    private final String prefix;

    private final ArrayList<Object> held = new ArrayList<>();

    Footprint(Locks locks, String prefix) {
        this.locks = locks;
        this.prefix = prefix;
    }

    Outing of(int leases) throws InterruptedException {
        hold(names(prefix + "-warm-up-", TO_LOAD_CLASSES));
        List<String> names = names(prefix + "-", leases);
        held.ensureCapacity(TO_LOAD_CLASSES + leases);
        int threadsBefore = Thread.activeCount();
        long before = usedAfterCollection();
        hold(names);
        double bytes = (usedAfterCollection() - before) / (double) leases;
        int threads = Thread.activeCount() - threadsBefore;
        Reference.reachabilityFence(held);
        return new Outing(Map.of(Figure.BYTES_PER_LEASE, bytes, Figure.MORE_THREADS, (double) threads));
    }

    private void hold(List<String> names) throws InterruptedException {
        for (String name : names) {
            held.add(locks.hold(name));
        }
    }

    /** The names are the caller's and not the lock's, so they are there before. */
    private static List<String> names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private static long usedAfterCollection() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
