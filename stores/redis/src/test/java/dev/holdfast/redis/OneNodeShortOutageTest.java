package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.Outages;
import dev.holdfast.tck.ShortOutageContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two outages of one server, in every build. */
final class OneNodeShortOutageTest extends ShortOutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode node;
    private static Outages outages;

    @BeforeAll
    static void start() throws InterruptedException {
        node = RedisNode.start(rig, RedisSettings.defaults().withDurability());
        outages = new OneNodeOutages(node, FaultProxy.before(rig, node.port()));
    }

    @Override
    public String url() {
        return node.url();
    }

    @Override
    public Outages outages() {
        return outages;
    }
}
