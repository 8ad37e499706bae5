package dev.holdfast.bench.ruler;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Lets all makers run on one server and notes what they achieve. Used by one thread. */
final class Ruler implements AutoCloseable {
    /** Ours, Redisson's and Spring's renewals come after a third of the lease. */
    private static final int RENEWALS_PER_LEASE = 3;

    private static final int PERIODS_COUNTED = 2;

    /** Whoever asks less and less often while it waits has come to its longest interval then. */
    private static final Duration WAITERS_SETTLE = Duration.ofSeconds(3);

    private static final Duration SHORTEST_COUNT = Duration.ofSeconds(3);

    /** These take seconds for each round, whatever is counted in them. */
    private static final int MOST_ROUNDS_OF_WAITING = 3;

    /** A holder is killed at any moment between these, so that all phases of its renewal are met. */
    private static final long SHORTEST_HOLD_MILLIS = 700;

    private static final long LONGEST_HOLD_MILLIS = 2_000;

    private static final int MOST_LEASES_AWAITED = 4;

    /** A maker is warm when the compiler has worked for less than this part of a round. */
    private static final int QUIET_PART = 20;

    /** Before so many grants most of the code was not even found to be worth compiling well. */
    private static final int ENOUGH_ENTRIES = 20_000;

    private final Venue venue;
    private final Path directory;
    private final Request request;
    private final Progress progress;

    /**
     * Processes take longer to start than to be measured, so those of the races stay until something else is measured,
     * which has the server for itself.
     */
    private final Map<Maker, Team> teams = new EnumMap<>(Maker.class);

    Ruler(Venue venue, Path directory, Request request, Progress progress) {
        this.venue = venue;
        this.directory = directory;
        this.request = request;
        this.progress = progress;
    }

    Results measure(Scenario scenario, int rounds) throws InterruptedException {
        if (!scenario.kind().isRace()) {
            close();
        }
        return switch (scenario.kind()) {
            case OWN_NAMES, THREE_NAMES, ONE_NAME, HAND_OVER, ACQUIRE, ACQUIRE_AT_ONCE -> race(scenario, rounds);
            case HELD -> hold(scenario);
            case WAITING -> await(scenario, rounds);
            case RECOVERY -> recover(scenario, Math.min(rounds, MOST_ROUNDS_OF_WAITING));
            case MEMORY, CROWD -> alone(scenario);
        };
    }

    /** Ends the processes that are still there. */
    @Override
    public void close() {
        teams.values().forEach(Team::dismiss);
        teams.values().forEach(Team::close);
        teams.clear();
    }

    /** Every maker warms up, and then has its turn in every round. */
    private Results race(Scenario scenario, int rounds) throws InterruptedException {
        boolean fresh = gather(scenario);
        Results results = new Results();
        for (Maker maker : scenario.makers()) {
            // Who has run already needs less to get warm.
            warmUp(scenario, team(maker), fresh);
        }
        for (int round = 1; round <= rounds; round++) {
            for (Maker maker : scenario.makers()) {
                show(round, rounds, maker);
                long before = venue.asked().getAsLong();
                Outing outing = team(maker).run(scenario.command(maker), scenario.isShared(), request.turn());
                results.add(maker, outing.withRequests(venue.asked().getAsLong() - before));
            }
        }
        return results;
    }

    /**
     * Locks live for days; what counts is how fast they are when the virtual machine has compiled them. With two processors
     * the compiler takes one of them away for many seconds, from those with much code for longer.
     */
    private void warmUp(Scenario scenario, Team team, boolean fresh) throws InterruptedException {
        int least = fresh ? request.warmUps() : 1;
        Duration time = request.warmUp(fresh);
        double entries = 0;
        boolean warm = false;
        for (int round = 1; round <= Math.max(least, request.mostWarmUps()) && !warm; round++) {
            progress.show("warm-up " + round + ", " + team.maker().title());
            long before = team.compiledMillis();
            Outing outing = team.run(scenario.command(team.maker()), scenario.isShared(), time);
            entries += outing.get(Figure.ENTRIES).orElse(0.0);
            boolean quiet = team.compiledMillis() - before < time.toMillis() / QUIET_PART;
            warm = round >= least && quiet && entries >= ENOUGH_ENTRIES;
        }
    }

    /** Sees to it that everybody has its processes. Tells whether some are new. */
    private boolean gather(Scenario scenario) throws InterruptedException {
        boolean fresh = false;
        for (Maker maker : scenario.makers()) {
            progress.show("starting " + maker.title());
            Team team = teams.computeIfAbsent(maker, each -> unstarted(scenario, each));
            fresh |= team.enlist(scenario.processes());
        }
        return fresh;
    }

    private Team team(Maker maker) {
        return Objects.requireNonNull(teams.get(maker), maker::title);
    }

    /** One maker after another, alone on the server, because everything that is seen counts. */
    private Results hold(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        Duration period = scenario.lease().orElseThrow().dividedBy(RENEWALS_PER_LEASE);
        for (Maker maker : scenario.makers()) {
            progress.show("starting " + maker.title());
            try (Team team = unstarted(scenario, maker)) {
                team.enlist(scenario.processes());
                progress.show(maker.title() + ", holding");
                team.perform(scenario.command(maker));
                // Taking thousands of leases takes seconds: until all were renewed once, a window may miss some.
                progress.show(maker.title() + ", until all were renewed");
                TimeUnit.NANOSECONDS.sleep(period.toNanos());
                progress.show(maker.title() + ", counting");
                long cpu = Long.parseLong(team.perform("cpu"));
                double asked = venue.askedOver(period.multipliedBy(PERIODS_COUNTED));
                double nanos = Long.parseLong(team.perform("cpu")) - cpu;
                results.add(
                        maker,
                        new Outing(Map.of(
                                Figure.ROUND_TRIPS, asked / PERIODS_COUNTED,
                                Figure.CPU_MILLIS, nanos / 1e6 / PERIODS_COUNTED)));
            }
        }
        return results;
    }

    /** What waiting costs the server, first with one thread in each process and then with many. */
    private Results await(Scenario scenario, int wanted) throws InterruptedException {
        Results results = new Results();
        int rounds = Math.max(1, Math.min(wanted / 2, MOST_ROUNDS_OF_WAITING));
        for (Maker maker : scenario.makers()) {
            progress.show("starting " + maker.title());
            try (Team team = unstarted(scenario, maker)) {
                team.enlist(scenario.processes());
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
        Duration time = request.turn().compareTo(SHORTEST_COUNT) < 0 ? SHORTEST_COUNT : request.turn();
        team.block(lock, threads);
        TimeUnit.NANOSECONDS.sleep(WAITERS_SETTLE.toNanos());
        double perSecond = venue.askedOver(time) * 1e9 / time.toNanos();
        team.unblock();
        return perSecond;
    }

    /** All makers at the same time, because there is nothing to do but to wait for leases to end. */
    private Results recover(Scenario scenario, int rounds) throws InterruptedException {
        gather(scenario);
        Results results = new Results();
        for (int round = 1; round <= rounds; round++) {
            progress.show("round " + round + " of " + rounds + ", everybody");
            for (Maker maker : scenario.makers()) {
                team(maker).pursue(scenario.lock(maker) + "-" + round);
            }
            TimeUnit.MILLISECONDS.sleep(
                    ThreadLocalRandom.current().nextLong(SHORTEST_HOLD_MILLIS, LONGEST_HOLD_MILLIS));
            Map<Maker, Long> killed = new EnumMap<>(Maker.class);
            scenario.makers().forEach(maker -> killed.put(maker, team(maker).killHolder()));
            for (Map.Entry<Maker, Long> each : killed.entrySet()) {
                results.add(each.getKey(), recovery(scenario, each.getKey(), each.getValue()));
            }
        }
        close();
        return results;
    }

    /** What is not granted for a long time has no figures. */
    private Outing recovery(Scenario scenario, Maker maker, long killed) throws InterruptedException {
        Duration lease = scenario.lease().orElseThrow();
        return new Outing(team(maker)
                .taken(lease.multipliedBy(MOST_LEASES_AWAITED))
                .map(taken -> Map.of(
                        Figure.RECOVERY_MILLIS, (taken - killed) / 1e6,
                        Figure.RECOVERY_LEASES, (taken - killed) / (double) lease.toNanos()))
                .orElse(Map.of()));
    }

    /** Takes its own time and needs no rounds. */
    private Results alone(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        for (Maker maker : scenario.makers()) {
            progress.show("starting " + maker.title());
            try (Team team = unstarted(scenario, maker)) {
                team.enlist(scenario.processes());
                results.add(maker, Outing.parse(team.perform(scenario.command(maker))));
            }
        }
        return results;
    }

    private Team unstarted(Scenario scenario, Maker maker) {
        return new Team(maker, venue.url(), directory, scenario.lease());
    }

    private void show(int round, int rounds, Maker maker) {
        progress.show("round " + round + " of " + rounds + ", " + maker.title());
    }
}
