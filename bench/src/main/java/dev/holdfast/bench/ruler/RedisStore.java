package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST_STICKY;
import static dev.holdfast.bench.ruler.Maker.JEDIS;
import static dev.holdfast.bench.ruler.Maker.LOCK4J;
import static dev.holdfast.bench.ruler.Maker.REDISSON;
import static dev.holdfast.bench.ruler.Maker.REDISSON_FAIR;
import static dev.holdfast.bench.ruler.Maker.REDISSON_FENCED;
import static dev.holdfast.bench.ruler.Maker.SPRING_REDIS;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.util.List;
import java.util.stream.Stream;

/** One Redis server. */
final class RedisStore implements Store {
    private static final double LONGEST_WAIT_MILLIS = 200;
    private static final int LEASES = 10_000;
    private static final Target[] NONE = {};

    @Override
    public String word() {
        return "redis";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        RedisTraffic traffic = new RedisTraffic(redis);
        return new Venue(redis.url(), "Redis " + traffic.info("redis_version"), traffic::answers);
    }

    /** Races first: they share their processes. */
    @Override
    public List<Scenario> scenarios() {
        Maker[] single = {HOLDFAST, REDISSON, REDISSON_FENCED, SPRING_REDIS, LOCK4J, JEDIS};
        Maker[] waiting = {HOLDFAST, REDISSON, SPRING_REDIS};
        Stream<Scenario> own = Stream.of(
                Scenarios.solo(single).asking(faster(0.85, 1.5)),
                Scenarios.spread(single).asking(faster(1.0, 5)),
                Scenarios.sticky(HOLDFAST_STICKY, REDISSON).asking(Target.fasterThan(HOLDFAST_STICKY, REDISSON, 200)),
                Scenarios.metrics(),
                Scenarios.http(JEDIS),
                Scenarios.multi(waiting),
                Scenarios.handOff(0, waiting).asking(Target.quickerThan(HOLDFAST, REDISSON, 0.35)));
        Stream<Scenario> hot = Stream.of(
                hot(4, 100),
                hot(100, 70),
                Scenarios.hot(6, 1, HOLDFAST, REDISSON_FAIR, SPRING_REDIS)
                        .asking(Target.fasterThan(HOLDFAST, REDISSON_FAIR, 100)));
        Stream<Scenario> renewal = Scenarios.renewal(waiting).stream()
                .map(scenario -> scenario.asking(
                        scenario.size() == LEASES
                                ? new Target[] {
                                    Target.atMost(HOLDFAST, Figure.ROUND_TRIPS, 25, "round trips in a renewal period")
                                }
                                : NONE));
        return Stream.of(
                        own,
                        Scenarios.waiters(waiting).stream(),
                        hot,
                        renewal,
                        Stream.of(Scenarios.memory(LEASES, waiting)),
                        Stream.of(Scenarios.recovery(HOLDFAST, REDISSON, REDISSON_FAIR, SPRING_REDIS)))
                .flatMap(each -> each)
                .toList();
    }

    private static Target[] faster(double thanFloor, double thanRedisson) {
        return new Target[] {
            Target.fasterThan(HOLDFAST, JEDIS, thanFloor), Target.fasterThan(HOLDFAST, REDISSON, thanRedisson)
        };
    }

    private static Scenario hot(int threads, double times) {
        return Scenarios.hot(2, threads, HOLDFAST, REDISSON, REDISSON_FENCED, SPRING_REDIS, LOCK4J)
                .asking(
                        Target.fasterThan(HOLDFAST, REDISSON, times),
                        Target.atMost(HOLDFAST, Figure.LONGEST_WAIT_MILLIS, LONGEST_WAIT_MILLIS, "ms longest wait"),
                        Target.atLeast(HOLDFAST, Figure.LEAST_SERVED, 0.5, "of the mean for the least served"));
    }
}
