package dev.holdfast.simulation;

import dev.holdfast.simulation.mutants.Hunt;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The command line of the simulator. */
public final class Main {
    private static final String USAGE = """
            usage: testing/simulation/run --histories N [--seed S] [--threads T]   run N histories
                   testing/simulation/run --replay SEED                            run one, with its event log
                   testing/simulation/run --mutant NAME [--seed S]                 run a broken variant until caught
                   testing/simulation/run --mutants [--seed S] [--threads T]       run all of them, on three seeds
            """;
    private static final int MOST_SHOWN = 10;
    private static final int USAGE_ERROR = 2;

    private int histories = 1_000;
    private long seed = 1;
    private int threads = Runtime.getRuntime().availableProcessors();
    private boolean allMutants;
    private @Nullable String mutant;
    private @Nullable Long replay;

    private Main() {}

    /**
     * Runs histories, replays one, or runs mutants.
     *
     * @param args see the usage text
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        Main main = new Main();
        try {
            main.parse(args);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.err.print(USAGE);
            System.exit(USAGE_ERROR);
        }
        System.exit(main.run() ? 0 : 1);
    }

    private void parse(String[] args) {
        for (int i = 0; i < args.length; i++) {
            String option = args[i];
            if (option.equals("--mutants")) {
                allMutants = true;
                continue;
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException("'" + option + "' is no option, or lacks its value");
            }
            String value = args[++i];
            switch (option) {
                case "--histories" -> histories = Integer.parseInt(value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--threads" -> threads = Integer.parseInt(value);
                case "--replay" -> replay = Long.valueOf(value);
                case "--mutant" -> mutant = value;
                default -> throw new IllegalArgumentException("there is no option '" + option + "'");
            }
        }
        if (histories < 1 || threads < 1) {
            throw new IllegalArgumentException("--histories and --threads must be at least 1");
        }
    }

    private boolean run() throws InterruptedException {
        if (replay != null) {
            return replay(replay);
        }
        if (mutant != null) {
            return Hunt.here().runOne(mutant, seed);
        }
        return allMutants ? Hunt.here().runAll(seed, threads) : runHistories();
    }

    private static boolean replay(long historySeed) {
        History.Outcome outcome = History.run(historySeed, true);
        outcome.log().forEach(System.out::println);
        return outcome.violation() == null;
    }

    private boolean runHistories() throws InterruptedException {
        Campaign.Outcome outcome = Campaign.run(histories, seed, threads);
        outcome.violations().stream().limit(MOST_SHOWN).forEach(failed -> {
            System.out.println("seed " + failed.seed() + ": " + failed.violation());
            System.out.println("  replay with: testing/simulation/run --replay " + failed.seed());
        });
        System.out.println(String.format(
                Locale.ROOT,
                "histories=%d violations=%d per_second=%.0f",
                outcome.histories(),
                outcome.violations().size(),
                outcome.perSecond()));
        return outcome.violations().isEmpty();
    }
}
