package dev.holdfast.bench;

import dev.holdfast.bench.ruler.RedisRuler;
import dev.holdfast.bench.ruler.Request;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Runs a benchmark; see {@code bench/run --help}. */
public final class Main {
    private static final String USAGE = "usage: bench/run [--store memory] [--rounds N] [--millis N]\n"
            + "       bench/run --store redis [--scenario NAME] [--seconds N] [--rounds N] [--json FILE]";

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
        String store = "memory";
        int rounds = 0;
        long millis = 700;
        Request request = Request.defaults();
        try {
            Iterator<String> words = Arrays.asList(arguments).iterator();
            while (words.hasNext()) {
                switch (words.next()) {
                    case "--store" -> store = words.next();
                    case "--rounds" -> rounds = positive(words.next());
                    case "--millis" -> millis = positive(words.next());
                    case "--seconds" -> request = request.withTime(seconds(words.next()));
                    case "--scenario" -> request = request.withScenario(words.next());
                    case "--json" -> request = request.withJson(Path.of(words.next()));
                    default -> throw new IllegalArgumentException("unknown argument");
                }
            }
            if (rounds > 0) {
                request = request.withRounds(rounds);
            }
            switch (store) {
                case "memory" -> System.exit(MemoryRuler.run(rounds > 0 ? rounds : 7, millis) ? 0 : 1);
                case "redis" -> System.exit(RedisRuler.run(request) ? 0 : 1);
                default -> throw new IllegalArgumentException("there is no benchmark of the store " + store);
            }
        } catch (IllegalArgumentException | NoSuchElementException wrong) {
            System.err.println("bench: " + wrong.getMessage() + "\n" + USAGE);
            System.exit(2);
        }
    }

    private static Duration seconds(String word) {
        Duration time = Duration.ofMillis(Math.round(Double.parseDouble(word) * 1e3));
        if (time.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("a round must last at least 0.1 seconds, not " + word);
        }
        return time;
    }

    private static int positive(String word) {
        int number = Integer.parseInt(word);
        if (number < 1) {
            throw new IllegalArgumentException("a number must be at least 1, but was " + word);
        }
        return number;
    }
}
