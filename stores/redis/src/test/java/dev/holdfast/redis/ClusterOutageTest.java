package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The outage contract on a cluster: all members at once, several of them, and one that is replaced. */
@Tag("full")
final class ClusterOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static MappedCluster mapped;

    @BeforeAll
    static void start() throws InterruptedException {
        mapped = new MappedCluster(rig, RedisCluster.start(rig, RedisSettings.defaults()));
    }

    @Override
    public String url() {
        return mapped.cluster().url();
    }

    @Override
    public Outages outages() {
        return new ClusterOutages(mapped);
    }
}
