package dev.holdfast.bench.ruler;

import static dev.holdfast.bench.ruler.Maker.HOLDFAST;
import static dev.holdfast.bench.ruler.Maker.HOLDFAST_ONE_NODE;
import static dev.holdfast.bench.ruler.Maker.JEDIS;
import static dev.holdfast.bench.ruler.Maker.JEDIS_NODES;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.util.List;
import java.util.stream.Collectors;

/** Five independent Redis servers, beside one of them. Nobody else offers such locks with tokens. */
final class RedlockStore implements Store {
    private static final int NODES = 5;

    @Override
    public String word() {
        return "redlock";
    }

    @Override
    public Venue start(Rig rig) throws InterruptedException {
        List<RedisNode> nodes = RedisNode.startSeveral(rig, NODES, RedisSettings.defaults());
        List<RedisTraffic> traffic = nodes.stream().map(RedisTraffic::new).toList();
        String addresses =
                nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
        return new Venue(
                "redlock://" + addresses + "#fresh=true",
                NODES + " servers with Redis " + traffic.get(0).info("redis_version"),
                () -> traffic.stream().mapToLong(RedisTraffic::answers).sum());
    }

    @Override
    public List<Scenario> scenarios() {
        Maker[] makers = {HOLDFAST, HOLDFAST_ONE_NODE, JEDIS_NODES, JEDIS};
        return List.of(
                Scenarios.acquire(makers).asking(Target.quickerThan(HOLDFAST, HOLDFAST_ONE_NODE, 2.5)),
                Scenarios.acquireAtOnce(makers).asking(Target.quickerThan(HOLDFAST, HOLDFAST_ONE_NODE, 2.5)),
                Scenarios.solo(makers),
                Scenarios.hot(3, 1, HOLDFAST, HOLDFAST_ONE_NODE));
    }
}
