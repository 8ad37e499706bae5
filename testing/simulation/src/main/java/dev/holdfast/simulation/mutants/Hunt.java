package dev.holdfast.simulation.mutants;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs mutants until they are caught. A mutant that escapes, or that fits the sources no more, is a failure. */
public final class Hunt {
    private static final int MOST_HISTORIES = 20_000;
    private static final int SEEDS = 3;
    private static final String FORMAT = "%-42s %5s %13s  %s";

    private final Workshop workshop;

    private Hunt(Workshop workshop) {
        this.workshop = workshop;
    }

    /** {@return a hunt over the sources that the running classes were compiled from} */
    public static Hunt here() {
        return new Hunt(Workshop.here());
    }

    static Hunt in(Workshop workshop) {
        return new Hunt(workshop);
    }

    /**
     * Runs one mutant.
     *
     * @param name the mutant
     * @param seed the campaign's seed
     * @return whether it was caught
     */
    public boolean runOne(String name, long seed) {
        List<Trial> trials = run(Mutants.named(name), new long[] {seed});
        print(trials);
        return trials.stream().allMatch(Trial::caught);
    }

    /**
     * Runs all mutants, each on several seeds.
     *
     * @param seed the first of the seeds
     * @param threads how many to run at a time
     * @return whether all were caught
     * @throws InterruptedException if interrupted
     */
    public boolean runAll(long seed, int threads) throws InterruptedException {
        long[] seeds = new long[SEEDS];
        for (int i = 0; i < SEEDS; i++) {
            seeds[i] = seed + i;
        }
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<Trial>>> running = new ArrayList<>();
            for (Mutant mutant : Mutants.ALL) {
                running.add(workers.submit(() -> run(mutant, seeds)));
            }
            boolean caught = true;
            System.out.println(String.format(Locale.ROOT, FORMAT, "mutant", "seed", "caught-after", "first violation"));
            for (Future<List<Trial>> trials : running) {
                print(trials.get());
                caught &= trials.get().stream().allMatch(Trial::caught);
            }
            return caught;
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        } finally {
            workers.shutdownNow();
        }
    }

    /** One run of one mutant on one seed. */
    record Trial(String mutant, long seed, boolean caught, String after, String violation) {}

    List<Trial> run(Mutant mutant, long[] seeds) {
        List<Trial> trials = new ArrayList<>();
        try {
            Method campaign = load(mutant);
            for (long seed : seeds) {
                String[] found = (String[]) campaign.invoke(null, MOST_HISTORIES, seed);
                trials.add(
                        found.length == 0
                                ? new Trial(mutant.name(), seed, false, "ESCAPED", "")
                                : new Trial(mutant.name(), seed, true, found[0], found[1]));
            }
        } catch (StaleMutantException stale) {
            trials.add(new Trial(mutant.name(), 0, false, "STALE", String.valueOf(stale.getMessage())));
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InvocationTargetException broken) {
            throw new IllegalStateException(mutant.name() + " broke the simulator", broken.getCause());
        }
        return trials;
    }

    private Method load(Mutant mutant) {
        try {
            return new MutantLoader(workshop.make(mutant))
                    .loadClass("dev.holdfast.simulation.Campaign")
                    .getMethod("runUntilViolation", int.class, long.class);
        } catch (ClassNotFoundException | NoSuchMethodException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void print(List<Trial> trials) {
        for (Trial trial : trials) {
            System.out.println(
                    String.format(Locale.ROOT, FORMAT, trial.mutant(), trial.seed(), trial.after(), trial.violation()));
        }
    }
}
