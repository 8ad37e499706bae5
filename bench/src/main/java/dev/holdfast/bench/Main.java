package dev.holdfast.bench;

import dev.holdfast.bench.ruler.Benchmark;
import dev.holdfast.bench.ruler.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;

/** Runs a benchmark; see {@code bench/run --help}. */
public final class Main {
    private static final String USAGE =
            "usage: bench/run [--store memory|redis|redlock|postgres|mariadb|zookeeper|etcd|all] "
                    + "[--scenario NAME] [--seconds N] [--rounds N] [--json FILE] [--report DIRECTORY] [--before CHECKOUT]";

    private static final Duration SHORTEST = Duration.ofMillis(100);

    private Main() {}

    /**
     * Runs it. The status is 0 if all targets are met, 1 if not, 2 if the arguments are wrong.
     *
     * @param arguments see {@code bench/run --help}
     * @throws InterruptedException if stopped
     * @throws IOException if results cannot be written
     */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        Benchmark benchmark;
        try {
            benchmark = Benchmark.of(parse(arguments));
        } catch (IllegalArgumentException wrong) {
            System.err.println("bench: " + wrong.getMessage() + "\n" + USAGE);
            System.exit(2);
            return;
        }
        System.exit(benchmark.run() ? 0 : 1);
    }

    /** The store decides on the defaults, wherever it stands. */
    static Request parse(String[] arguments) {
        String store = "memory";
        List<UnaryOperator<Request>> changes = new ArrayList<>();
        Iterator<String> words = Arrays.asList(arguments).iterator();
        while (words.hasNext()) {
            String option = words.next();
            switch (option) {
                case "--store" -> store = value(option, words);
                case "--rounds" -> {
                    int rounds = rounds(value(option, words));
                    changes.add(request -> request.withRounds(rounds));
                }
                case "--seconds" -> {
                    Duration time = seconds(value(option, words));
                    changes.add(request -> request.withTime(time));
                }
                case "--scenario" -> {
                    String name = value(option, words);
                    changes.add(request -> request.withScenario(name));
                }
                case "--json" -> {
                    Path file = writable(Path.of(value(option, words)));
                    changes.add(request -> request.withJson(file));
                }
                case "--report" -> {
                    Path directory = Path.of(value(option, words));
                    changes.add(request -> request.withReport(directory));
                }
                default -> throw new IllegalArgumentException("there is no option " + option);
            }
        }
        Request request = defaultReport(Request.of(store));
        for (UnaryOperator<Request> change : changes) {
            request = change.apply(request);
        }
        return request;
    }

    /** The script that starts this names a place where the report is in nobody's way. */
    private static Request defaultReport(Request request) {
        String directory = System.getProperty("holdfast.bench.report", "");
        return directory.isEmpty() ? request : request.withReport(Path.of(directory));
    }

    private static String value(String option, Iterator<String> words) {
        try {
            return words.next();
        } catch (NoSuchElementException missing) {
            throw new IllegalArgumentException(option + " needs a value", missing);
        }
    }

    /** Told now rather than when all is measured. */
    private static Path writable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || !Files.isWritable(directory) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(file + " cannot be written");
        }
        return file;
    }

    private static Duration seconds(String word) {
        Duration time = Duration.ofMillis(Math.round(number(word) * 1e3));
        if (time.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("a round must last at least 0.1 seconds, not " + word);
        }
        return time;
    }

    private static int rounds(String word) {
        double rounds = number(word);
        if (rounds < 1 || rounds != Math.rint(rounds) || rounds > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("rounds must be a whole number from 1 on, not " + word);
        }
        return (int) rounds;
    }

    private static double number(String word) {
        try {
            return Double.parseDouble(word);
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException("'" + word + "' is not a number", wrong);
        }
    }
}
