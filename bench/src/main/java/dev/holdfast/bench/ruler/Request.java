package dev.holdfast.bench.ruler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What the user asked for.
 *
 * @param scenario the only one to run, or empty for all
 * @param time for which each maker is counted in a round
 * @param rounds that count; some more come first and do not
 * @param json a file for the results
 */
public record Request(Optional<String> scenario, Duration time, int rounds, Optional<Path> json) {

    /** {@return all scenarios, 5 rounds of 2 seconds, no file} */
    public static Request defaults() {
        return new Request(Optional.empty(), Duration.ofSeconds(2), 5, Optional.empty());
    }

    /**
     * Changes the scenario.
     *
     * @param name the only one to run
     * @return the changed copy
     */
    public Request withScenario(String name) {
        return new Request(Optional.of(name), time, rounds, json);
    }

    /**
     * Changes the time.
     *
     * @param each for each maker and round
     * @return the changed copy
     */
    public Request withTime(Duration each) {
        return new Request(scenario, each, rounds, json);
    }

    /**
     * Changes the number of rounds.
     *
     * @param number that count
     * @return the changed copy
     */
    public Request withRounds(int number) {
        return new Request(scenario, time, number, json);
    }

    /**
     * Asks for results in a file.
     *
     * @param file overwritten if it exists
     * @return the changed copy
     */
    public Request withJson(Path file) {
        return new Request(scenario, time, rounds, Optional.of(file));
    }
}
