package dev.holdfast.bench.ruler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What the user asked for. Immutable; every {@code with…} method returns a changed copy.
 *
 * @param store the only one, or {@code all}
 * @param scenario the only one to run, or empty for all
 * @param time for which each maker is counted in a round
 * @param rounds that count
 * @param warmUps rounds that come first at least and do not count
 * @param shortestWarmUp the compiler needs its time even if the rounds that count are short
 * @param json a file for the results
 */
public record Request(
        String store,
        Optional<String> scenario,
        Duration time,
        int rounds,
        int warmUps,
        Duration shortestWarmUp,
        Optional<Path> json) {
    /** Stands for every store. */
    public static final String ALL = "all";

    private static final Duration TIME = Duration.ofSeconds(2);
    private static final Duration SHORTEST_WARM_UP = Duration.ofSeconds(2);
    private static final int MOST_WARM_UPS = 6;

    /**
     * Makes one for all scenarios of a store, without a file. For all stores together there are fewer rounds, so that it
     * ends in a quarter of an hour.
     *
     * @param store its name, or {@link #ALL}
     * @return the request
     */
    public static Request of(String store) {
        boolean all = store.equals(ALL);
        return new Request(store, Optional.empty(), TIME, all ? 2 : 5, all ? 1 : 2, SHORTEST_WARM_UP, Optional.empty());
    }

    /**
     * Changes the scenario.
     *
     * @param name the only one to run
     * @return the changed copy
     */
    public Request withScenario(String name) {
        return new Request(store, Optional.of(name), time, rounds, warmUps, shortestWarmUp, json);
    }

    /**
     * Changes the time.
     *
     * @param each for each maker and round
     * @return the changed copy
     */
    public Request withTime(Duration each) {
        return new Request(store, scenario, each, rounds, warmUps, shortestWarmUp, json);
    }

    /**
     * Changes the number of rounds.
     *
     * @param number that count
     * @return the changed copy
     */
    public Request withRounds(int number) {
        return new Request(store, scenario, time, number, warmUps, shortestWarmUp, json);
    }

    /**
     * Asks for results in a file.
     *
     * @param file overwritten if it exists
     * @return the changed copy
     */
    public Request withJson(Path file) {
        return new Request(store, scenario, time, rounds, warmUps, shortestWarmUp, Optional.of(file));
    }

    /** Warms up once and shortly, for tests. */
    Request withWarmUp(Duration each) {
        return new Request(store, scenario, time, rounds, 1, each, json);
    }

    /** How many rounds come first at most: until a maker is warm, unless there is time for one only. */
    int mostWarmUps() {
        return warmUps == 1 ? 1 : MOST_WARM_UPS;
    }

    /** How long a round lasts that does not count. With fewer of them there is no time for longer ones. */
    Duration warmUp() {
        return warmUps == 1 || time.compareTo(shortestWarmUp) < 0 ? shortestWarmUp : time;
    }
}
