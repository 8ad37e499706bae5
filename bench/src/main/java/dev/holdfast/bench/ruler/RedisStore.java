package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST_STICKY;
import static dev.holdfast.bench.ruler.Maker.JEDIS;
import static dev.holdfast.bench.ruler.Maker.REDISSON;
import static dev.holdfast.bench.ruler.Maker.REDISSON_FAIR;
import static dev.holdfast.bench.ruler.Maker.SPRING_REDIS;

import dev.holdfast.bench.ruler.Scenario.Kind;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.util.List;

/** One Redis server. */
final class RedisStore implements Store {
    private static final double LONGEST_WAIT_MILLIS = 200;

    @Override
    public String word() {
        return "redis";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        RedisTraffic traffic = new RedisTraffic(redis);
        return new Venue(redis.url(), "Redis " + traffic.info("redis_version"), traffic::answers, traffic::commands);
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(
                own("solo", "uncontended pair, one thread", 1, 1.5),
                own("names-64", "64 threads on 64 names", 64, 5),
                hot("hot-2x4", "2 JVMs x 4 threads on one name", 4, 100),
                hot("hot-2x100", "2 JVMs x 100 threads on one name", 100, 70),
                new Scenario(
                        "hot-6x1",
                        "6 JVMs x 1 thread on one name",
                        Kind.ONE_NAME,
                        6,
                        1,
                        List.of(HOLDFAST, REDISSON_FAIR, SPRING_REDIS),
                        List.of(Target.fasterThan(HOLDFAST, REDISSON_FAIR, 12))),
                new Scenario(
                        "hand-over",
                        "hand-over to a waiter in another client",
                        Kind.HAND_OVER,
                        2,
                        0,
                        List.of(HOLDFAST, REDISSON, SPRING_REDIS),
                        List.of(Target.quickerThan(HOLDFAST, REDISSON, 0.35))),
                new Scenario(
                        "sticky",
                        "one thread, sticky",
                        Kind.OWN_NAMES,
                        1,
                        1,
                        List.of(HOLDFAST_STICKY, REDISSON),
                        List.of(Target.fasterThan(HOLDFAST_STICKY, REDISSON, 200))),
                new Scenario(
                        "leases-10000",
                        "10,000 leases held",
                        Kind.HELD,
                        1,
                        10_000,
                        List.of(HOLDFAST, REDISSON),
                        // Commands, which are no fewer than round trips: the stricter of the two.
                        List.of(Target.atMost(HOLDFAST, Figure.COMMANDS, 25, "commands a renewal period"))));
    }

    private static Scenario own(String name, String title, int threads, double times) {
        return new Scenario(
                name,
                title,
                Kind.OWN_NAMES,
                1,
                threads,
                List.of(HOLDFAST, REDISSON, SPRING_REDIS, JEDIS),
                List.of(Target.fasterThan(HOLDFAST, JEDIS, 0.85), Target.fasterThan(HOLDFAST, REDISSON, times)));
    }

    private static Scenario hot(String name, String title, int threads, double times) {
        return new Scenario(
                name,
                title,
                Kind.ONE_NAME,
                2,
                threads,
                List.of(HOLDFAST, REDISSON, SPRING_REDIS),
                List.of(
                        Target.fasterThan(HOLDFAST, REDISSON, times),
                        Target.atMost(HOLDFAST, Figure.LONGEST_WAIT_MILLIS, LONGEST_WAIT_MILLIS, "ms longest wait"),
                        Target.atLeast(HOLDFAST, Figure.LEAST_SERVED, 0.5, "of the mean for the least served")));
    }
}
