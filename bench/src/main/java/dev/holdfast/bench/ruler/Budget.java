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
    private static final Duration SURVEY = Duration.ofSeconds(870);

    /** To start a process on a machine with two processors, with a peer's libraries. */
    private static final double START_SECONDS = 1;

    /** Races share their processes, so that most of them start only a few. */
    private static final double SHARE_STARTED = 0.25;

    /** To warm up, in turns. */
    private static final double WARM_UP = 0.6;

    /** What a round on one name takes beyond its time, because some peers starve threads or are given more time. */
    private static final double SLOW_ROUND_SECONDS = 0.5;

    private static final double RECOVERY_ROUND_SECONDS = 8;
    private static final double HELD_SECONDS = 4.3;
    private static final double SECONDS_PER_HELD_LEASE = 3e-4;
    private static final double MEMORY_SECONDS = 3;
    private static final double WAITING_SECONDS = 13;

    /** So much is believed of the estimates at the beginning, before anything was seen. */
    private static final double TRUSTED_SECONDS = 60;

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
        double error = (now + TRUSTED_SECONDS) / (estimated + TRUSTED_SECONDS);
        return now
                + error
                        * left.stream()
                                .mapToDouble(scenario -> seconds(scenario, rounds))
                                .sum();
    }

    private double seconds(Scenario scenario, int rounds) {
        int makers = scenario.makers().size();
        double starting =
                START_SECONDS * makers * scenario.processes() * (scenario.kind().isRace() ? SHARE_STARTED : 1);
        double turn = request.turn().toMillis() / 1e3;
        return starting
                + switch (scenario.kind()) {
                    case OWN_NAMES, THREE_NAMES, HAND_OVER, ACQUIRE, ACQUIRE_AT_ONCE ->
                        makers * turn * (rounds + WARM_UP);
                    case ONE_NAME -> makers * (turn + SLOW_ROUND_SECONDS) * (rounds + WARM_UP);
                    case RECOVERY -> RECOVERY_ROUND_SECONDS * rounds;
                    case WAITING -> WAITING_SECONDS * makers;
                    case HELD -> makers * (HELD_SECONDS + SECONDS_PER_HELD_LEASE * scenario.size());
                    case MEMORY -> makers * MEMORY_SECONDS;
                    case CROWD -> 1;
                };
    }
}
