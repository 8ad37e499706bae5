package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.Outages;
import dev.holdfast.tck.ShortOutageContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two outages of all members of a cluster, in every build. */
final class ClusterShortOutageTest extends ShortOutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static MappedCluster mapped;

    @BeforeAll
    static void start() throws InterruptedException {
        mapped = new MappedCluster(
                rig, RedisCluster.start(rig, RedisSettings.defaults().withDurability()));
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
