package dev.holdfast.bench.ruler;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Sees to it that a survey of all stores ends in a quarter of an hour, also on a slow machine: what does not fit gets
 * fewer rounds, and nothing is left out. Used by one thread.
 */
final class Budget {
    /** Less than a quarter of an hour, because servers have to start and estimates err. */
    private static final Duration SURVEY = Duration.ofSeconds(800);

    /** To start a process on a machine with two processors, with a peer's libraries. */
    private static final double START_SECONDS = 1;

    /** Races share their processes, and who has run already is warm. */
    private static final double SHARED = 0.5;

    /** What a round on one name takes beyond its time, because some peers starve threads or are given more time. */
    private static final double SLOW_ROUND_SECONDS = 1.0;

    private static final double RECOVERY_ROUND_SECONDS = 7;
    private static final double HELD_SECONDS = 5;
    private static final double SECONDS_PER_HELD_LEASE = 5e-4;
    private static final double WAITING_SECONDS = 13;

    private final Request request;
    private final List<Scenario> left;
    private double estimated;

    Budget(Request request, List<Scenario> scenarios) {
        this.request = request;
        this.left = new ArrayList<>(scenarios);
    }

    /** How many rounds the next scenario has, if all that follow shall have as many. */
    int begin(Scenario next, Duration elapsed) {
        int rounds = request.rounds();
        while (request.isSurvey() && rounds > 1 && end(rounds, elapsed) > SURVEY.toSeconds()) {
            rounds--;
        }
        left.remove(next);
        estimated += seconds(next, rounds);
        return rounds;
    }

    /** When all would be done, if it goes on taking as much longer or shorter than estimated as until now. */
    private double end(int rounds, Duration elapsed) {
        double now = elapsed.toMillis() / 1e3;
        double error = estimated > 0 ? now / estimated : 1;
        return now
                + error
                        * left.stream()
                                .mapToDouble(scenario -> seconds(scenario, rounds))
                                .sum();
    }

    private double seconds(Scenario scenario, int rounds) {
        int makers = scenario.makers().size();
        double starting =
                START_SECONDS * makers * scenario.processes() * (scenario.kind().isRace() ? SHARED : 1);
        double turn = request.turn().toMillis() / 1e3;
        return starting
                + switch (scenario.kind()) {
                    case OWN_NAMES, THREE_NAMES, HAND_OVER -> makers * turn * (rounds + SHARED);
                    case ONE_NAME -> makers * (turn + SLOW_ROUND_SECONDS) * (rounds + SHARED);
                    case RECOVERY -> RECOVERY_ROUND_SECONDS * rounds;
                    case WAITING -> WAITING_SECONDS * makers;
                    case HELD, MEMORY -> makers * (HELD_SECONDS + SECONDS_PER_HELD_LEASE * scenario.size());
                    case CROWD -> 1;
                };
    }
}
