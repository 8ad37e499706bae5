package dev.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Many histories, each with a seed of its own that is derived from the campaign's seed and its number. */
public final class Campaign {
    private Campaign() {}

    /**
     * What came of a campaign.
     *
     * @param histories how many histories were run
     * @param violations those that failed, in order of their numbers
     * @param nanos how long it took
     */
    record Outcome(int histories, List<History.Outcome> violations, long nanos) {
        double perSecond() {
            return histories * 1e9 / nanos;
        }
    }

    /** The seed of one history. */
    static long seedOf(long campaignSeed, int number) {
        long mixed = campaignSeed * 0x9E3779B97F4A7C15L + number * 0xD1B54A32D192ED03L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return (mixed ^ mixed >>> 32) & Long.MAX_VALUE;
    }

    static Outcome run(int histories, long seed, int threads) throws InterruptedException {
        long began = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        List<Thread> workers = new ArrayList<>();
        List<List<History.Outcome>> failed = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            List<History.Outcome> own = new ArrayList<>();
            failed.add(own);
            Thread worker = new Thread(() -> work(histories, seed, next, own), "simulation-" + i);
            workers.add(worker);
            worker.start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        List<History.Outcome> violations = failed.stream().flatMap(List::stream).toList();
        return new Outcome(histories, violations, System.nanoTime() - began);
    }

    private static void work(int histories, long seed, AtomicInteger next, List<History.Outcome> failed) {
        for (int number = next.getAndIncrement(); number < histories; number = next.getAndIncrement()) {
            History.Outcome outcome = History.run(seedOf(seed, number), false);
            if (outcome.violation() != null) {
                failed.add(outcome);
            }
        }
    }

    /**
     * Runs histories until one fails. Called by reflection, across class loaders, therefore in plain types.
     *
     * @param histories how many to run at most
     * @param seed the campaign's seed
     * @return how many it took, and the violation; empty if none failed
     */
    public static String[] runUntilViolation(int histories, long seed) {
        for (int number = 0; number < histories; number++) {
            History.Outcome outcome = History.run(seedOf(seed, number), false);
            if (outcome.violation() != null) {
                return new String[] {Integer.toString(number + 1), outcome.violation()};
            }
        }
        return new String[0];
    }
}
