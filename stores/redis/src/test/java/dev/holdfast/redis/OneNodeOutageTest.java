package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.proxy.FaultProxy;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The outage contract on one server. */
@Tag("full")
final class OneNodeOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode node;
    private static Outages outages;

    @BeforeAll
    static void start() throws InterruptedException {
        node = RedisNode.start(rig, RedisSettings.defaults());
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
