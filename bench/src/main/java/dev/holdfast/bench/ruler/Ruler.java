package dev.holdfast.bench.ruler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Lets all makers run on one server and notes what they achieve. Used by one thread. */
final class Ruler {
    /** A third of the lease of 30 seconds that Holdfast and Redisson have by default. */
    private static final Duration RENEWAL_PERIOD = Duration.ofSeconds(10);

    private static final int PERIODS_COUNTED = 2;

    /** Whoever asks less and less often while it waits has come to its longest interval then. */
    private static final Duration WAITERS_SETTLE = Duration.ofSeconds(3);

    private static final Duration SHORTEST_COUNT = Duration.ofSeconds(3);
    private static final int MOST_ROUNDS_OF_WAITING = 3;

    /** A maker is warm when the compiler has worked for less than this part of a round. */
    private static final int QUIET_PART = 20;

    /** Before so many grants most of the code was not even found to be worth compiling well. */
    private static final int ENOUGH_ENTRIES = 20_000;

    private final Venue venue;
    private final Path directory;
    private final Request request;
    private final Progress progress;

    Ruler(Venue venue, Path directory, Request request, Progress progress) {
        this.venue = venue;
        this.directory = directory;
        this.request = request;
        this.progress = progress;
    }

    Results measure(Scenario scenario) throws InterruptedException {
        return switch (scenario.kind()) {
            case OWN_NAMES, ONE_NAME, HAND_OVER -> race(scenario);
            case HELD -> hold(scenario);
            case WAITING -> await(scenario);
            case ALONE -> alone(scenario);
        };
    }

    /** Every maker warms up, and then has its turn in every round. */
    private Results race(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        List<Team> teams = new ArrayList<>();
        try {
            for (Maker maker : scenario.makers()) {
                teams.add(start(scenario, maker));
            }
            for (Team team : teams) {
                warmUp(scenario, team);
            }
            for (int round = 1; round <= request.rounds(); round++) {
                for (Team team : teams) {
                    show(round, request.rounds(), team.maker());
                    long before = venue.asked().getAsLong();
                    Outing outing = team.run(scenario.command(team.maker()), scenario.isShared(), request.time());
                    results.add(team.maker(), outing.withRequests(venue.asked().getAsLong() - before));
                }
            }
        } finally {
            teams.forEach(Team::close);
        }
        return results;
    }

    /**
     * Locks live for days; what counts is how fast they are when the virtual machine has compiled them. With two processors
     * the compiler takes one of them away for many seconds, from those with much code for longer.
     */
    private void warmUp(Scenario scenario, Team team) throws InterruptedException {
        double entries = 0;
        boolean warm = false;
        for (int round = 1; round <= request.mostWarmUps() && !warm; round++) {
            progress.show("warm-up " + round + ", " + team.maker().title());
            long before = team.compiledMillis();
            Outing outing = team.run(scenario.command(team.maker()), scenario.isShared(), request.warmUp());
            entries += outing.get(Figure.ENTRIES).orElse(0.0);
            boolean quiet = team.compiledMillis() - before < request.warmUp().toMillis() / QUIET_PART;
            warm = quiet && entries >= ENOUGH_ENTRIES && round >= request.warmUps();
        }
    }

    /**
     * One maker after another, alone on the server, because everything that is seen counts. Watching the commands is
     * itself answered by the server, so the answers are counted apart from them.
     */
    private Results hold(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        Duration window = RENEWAL_PERIOD.multipliedBy(PERIODS_COUNTED);
        for (Maker maker : scenario.makers()) {
            try (Team team = start(scenario, maker)) {
                team.perform(scenario.command(maker));
                // Taking thousands of leases takes seconds: until all were renewed once, a window may miss some of
                // them.
                progress.show(maker.title() + ", until all were renewed");
                TimeUnit.NANOSECONDS.sleep(window.toNanos());
                progress.show(maker.title() + ", commands");
                double commands = (double) venue.commands().over(window) / PERIODS_COUNTED;
                progress.show(maker.title() + ", round trips");
                double answers = (double) venue.askedOver(window) / PERIODS_COUNTED;
                results.add(maker, new Outing(Map.of(Figure.COMMANDS, commands, Figure.ROUND_TRIPS, answers)));
                team.perform("drop");
            }
        }
        return results;
    }

    /** What waiting costs the server, first with one thread in each process and then with many. */
    private Results await(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        int rounds = Math.max(1, Math.min(request.rounds() / 2, MOST_ROUNDS_OF_WAITING));
        for (Maker maker : scenario.makers()) {
            try (Team team = start(scenario, maker)) {
                for (int round = 1; round <= rounds; round++) {
                    show(round, rounds, maker);
                    double few = asked(team, scenario.lock(maker), 1);
                    double many = asked(team, scenario.lock(maker), scenario.size());
                    results.add(maker, new Outing(Map.of(Figure.REQUESTS_OF_FEW, few, Figure.REQUESTS_OF_MANY, many)));
                }
            }
        }
        return results;
    }

    private double asked(Team team, String lock, int threads) throws InterruptedException {
        Duration time = request.time().compareTo(SHORTEST_COUNT) < 0 ? SHORTEST_COUNT : request.time();
        team.block(lock, threads);
        TimeUnit.NANOSECONDS.sleep(WAITERS_SETTLE.toNanos());
        double perSecond = venue.askedOver(time) * 1e9 / time.toNanos();
        team.unblock();
        return perSecond;
    }

    /** Takes its own time and needs no rounds. */
    private Results alone(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        for (Maker maker : scenario.makers()) {
            try (Team team = start(scenario, maker)) {
                results.add(maker, Outing.parse(team.perform(scenario.command(maker))));
            }
        }
        return results;
    }

    private Team start(Scenario scenario, Maker maker) throws InterruptedException {
        progress.show("starting " + maker.title());
        return Team.start(maker, venue.url(), scenario.processes(), directory);
    }

    private void show(int round, int rounds, Maker maker) {
        progress.show("round " + round + " of " + rounds + ", " + maker.title());
    }
}
