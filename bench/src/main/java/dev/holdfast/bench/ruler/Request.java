package dev.holdfast.bench.ruler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What the user asked for. Immutable; every {@code with…} method returns a changed copy.
 *
 * @param store the only one, or {@code all}
 * @param scenario the only one to run, or the first part of the names of several; empty for all
 * @param time for which each maker is counted in a round; in a survey, what each maker has in a scenario altogether
 * @param chosenRounds that count, if the user said how many
 * @param forcedWarmUp for tests, which do not need to be warm
 * @param json a file for the results
 * @param report a directory for the report
 */
public record Request(
        String store,
        Optional<String> scenario,
        Duration time,
        Optional<Integer> chosenRounds,
        Optional<Duration> forcedWarmUp,
        Optional<Path> json,
        Optional<Path> report) {
    /** Stands for every store. */
    public static final String ALL = "all";

    private static final Duration TIME = Duration.ofSeconds(2);
    private static final int ROUNDS = 5;
    private static final int WARM_UPS = 2;
    private static final int MOST_WARM_UPS = 6;

    /** The compiler needs its time even if the rounds that count are short. */
    private static final Duration SHORTEST_WARM_UP = Duration.ofSeconds(2);

    private static final int ROUNDS_OF_SURVEY = 2;

    /**
     * Makes one for all scenarios of a store, without files.
     *
     * @param store its name, or {@link #ALL}
     * @return the request
     */
    public static Request of(String store) {
        return new Request(
                store, Optional.empty(), TIME, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Changes the scenario.
     *
     * @param name the only one to run
     * @return the changed copy
     */
    public Request withScenario(String name) {
        return new Request(store, Optional.of(name), time, chosenRounds, forcedWarmUp, json, report);
    }

    /**
     * Changes the time.
     *
     * @param each for each maker and round
     * @return the changed copy
     */
    public Request withTime(Duration each) {
        return new Request(store, scenario, each, chosenRounds, forcedWarmUp, json, report);
    }

    /**
     * Changes the number of rounds.
     *
     * @param number that count
     * @return the changed copy
     */
    public Request withRounds(int number) {
        return new Request(store, scenario, time, Optional.of(number), forcedWarmUp, json, report);
    }

    /**
     * Asks for results in a file.
     *
     * @param file overwritten if it exists
     * @return the changed copy
     */
    public Request withJson(Path file) {
        return new Request(store, scenario, time, chosenRounds, forcedWarmUp, Optional.of(file), report);
    }

    /**
     * Asks for a report as Markdown, as a page and as charts.
     *
     * @param directory made if it does not exist
     * @return the changed copy
     */
    public Request withReport(Path directory) {
        return new Request(store, scenario, time, chosenRounds, forcedWarmUp, json, Optional.of(directory));
    }

    /** Warms up once and shortly, for tests. */
    Request withWarmUp(Duration each) {
        return new Request(store, scenario, time, chosenRounds, Optional.of(each), json, report);
    }

    /** Whether everything is looked at and must end in a quarter of an hour. */
    boolean isSurvey() {
        return store.equals(ALL) && chosenRounds.isEmpty();
    }

    int rounds() {
        return chosenRounds.orElse(isSurvey() ? ROUNDS_OF_SURVEY : ROUNDS);
    }

    /** For how long a maker is counted in a round. In a survey a maker's time is shared out to all its rounds. */
    Duration turn() {
        return isSurvey() ? time.dividedBy(ROUNDS_OF_SURVEY + 1) : time;
    }

    /** How many rounds come first at most, until a maker is warm; a survey and tests have no time for that. */
    int mostWarmUps() {
        return warmUps() == 1 ? 0 : MOST_WARM_UPS;
    }

    /** {@return how many rounds come first, for people} */
    String warmUpsText() {
        return mostWarmUps() > warmUps() ? warmUps() + " to " + mostWarmUps() : Integer.toString(warmUps());
    }

    /** How many rounds come first at least and do not count. */
    int warmUps() {
        return isSurvey() || forcedWarmUp.isPresent() ? 1 : WARM_UPS;
    }

    /** How long a round lasts that does not count. There is less time in a survey, and less need if processes have run. */
    Duration warmUp(boolean fresh) {
        Duration usual = isSurvey()
                ? turn().dividedBy(fresh ? 1 : 2)
                : time.compareTo(SHORTEST_WARM_UP) < 0 ? SHORTEST_WARM_UP : time;
        return forcedWarmUp.orElse(usual);
    }
}
