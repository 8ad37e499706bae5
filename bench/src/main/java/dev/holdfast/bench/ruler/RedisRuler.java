package dev.holdfast.bench.ruler;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.StoreProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Locks on Redis: Holdfast, its peers, and the floor, on one real server. */
public final class RedisRuler {
    /** A third of the lease of 30 seconds that Holdfast and Redisson have by default. */
    private static final Duration RENEWAL_PERIOD = Duration.ofSeconds(10);

    private static final int RENEWAL_PERIODS = 3;
    static final int WARM_UP_ROUNDS = 2;

    /** The compiler needs its time even if the rounds that count are short. */
    private static final Duration SHORTEST_WARM_UP = Duration.ofSeconds(2);

    private final RedisNode redis;
    private final Rig rig;
    private final Request request;
    private final boolean holdfastHasAStore;

    private RedisRuler(RedisNode redis, Rig rig, Request request) {
        this.redis = redis;
        this.rig = rig;
        this.request = request;
        this.holdfastHasAStore = ServiceLoader.load(StoreProvider.class).stream()
                .anyMatch(provider -> provider.get().schemes().contains("redis"));
    }

    /**
     * Measures and prints.
     *
     * @param request what to run
     * @return whether all targets are met
     * @throws InterruptedException if stopped
     * @throws IOException if the results cannot be written
     */
    public static boolean run(Request request) throws InterruptedException, IOException {
        List<Scenario> chosen = Scenario.all().stream()
                .filter(scenario ->
                        request.scenario().map(scenario.name()::equals).orElse(true))
                .toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("the scenarios are "
                    + Scenario.all().stream().map(Scenario::name).collect(Collectors.joining(", ")));
        }
        try (Rig rig = new Rig()) {
            RedisNode redis = RedisNode.start(rig);
            RedisRuler ruler = new RedisRuler(redis, rig, request);
            Report report = new Report(System.out);
            report.begin(redis, request);
            if (!ruler.holdfastHasAStore) {
                System.out.println(
                        "Holdfast has no store for redis: URLs on the class path; only the others are measured.");
            }
            List<Results> all = new ArrayList<>();
            for (Scenario scenario : chosen) {
                Results results = scenario.kind() == Scenario.Kind.HELD ? ruler.hold(scenario) : ruler.race(scenario);
                report.print(scenario, results);
                all.add(results);
            }
            if (request.json().isPresent()) {
                Json.write(request.json().get(), request, chosen, all);
            }
            return report.finish();
        }
    }

    /** Every maker has its turn in every round; the first rounds warm up and do not count. */
    private Results race(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        List<Team> teams = new ArrayList<>();
        try {
            for (Maker maker : makers(scenario)) {
                teams.add(Team.start(maker, redis.url(), scenario.processes(), rig.directory()));
            }
            for (int round = 1 - WARM_UP_ROUNDS; round <= request.rounds(); round++) {
                for (Team team : teams) {
                    System.err.printf(
                            "\r%-14s round %d of %d %-26s",
                            scenario.name(),
                            round,
                            request.rounds(),
                            team.maker().title());
                    Outing outing = team.run(
                            scenario.heat(team.maker()),
                            scenario.kind() != Scenario.Kind.OWN_NAMES,
                            round > 0 ? request.time() : warmUp());
                    if (round > 0) {
                        results.add(team.maker(), outing);
                    }
                }
            }
        } finally {
            teams.forEach(Team::close);
            System.err.print("\r");
        }
        return results;
    }

    private Duration warmUp() {
        return request.time().compareTo(SHORTEST_WARM_UP) < 0 ? SHORTEST_WARM_UP : request.time();
    }

    /** One maker after another, alone on the server, because every command that is seen counts. */
    private Results hold(Scenario scenario) throws InterruptedException {
        Results results = new Results();
        for (Maker maker : makers(scenario)) {
            System.err.printf("\r%-14s %-26s", scenario.name(), maker.title());
            try (Team team = Team.start(maker, redis.url(), scenario.processes(), rig.directory())) {
                team.perform(scenario.heat(maker), "held");
                long commands = CommandCount.over(redis, RENEWAL_PERIOD.multipliedBy(RENEWAL_PERIODS));
                results.add(maker, Outing.ofRoundTrips((double) commands / RENEWAL_PERIODS));
                team.perform("drop", "dropped");
            }
        }
        System.err.print("\r");
        return results;
    }

    private List<Maker> makers(Scenario scenario) {
        return scenario.makers().stream()
                .filter(maker -> holdfastHasAStore || (maker != Maker.HOLDFAST && maker != Maker.HOLDFAST_STICKY))
                .toList();
    }
}
