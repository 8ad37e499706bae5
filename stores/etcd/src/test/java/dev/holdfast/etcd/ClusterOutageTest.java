package dev.holdfast.etcd;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdCluster;
import dev.holdfast.rig.etcd.EtcdSettings;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of a cluster of three: the leader is killed, all are, or nothing gets through to any. */
@Tag("full")
final class ClusterOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdOutages outages;

    @BeforeAll
    static void start() throws InterruptedException {
        outages = EtcdOutages.of(rig, EtcdCluster.start(rig, EtcdSettings.defaults()));
    }

    @Override
    public String url() {
        return outages.url();
    }

    @Override
    public Outages outages() {
        return outages;
    }

    /** Every write is a round between three processes on one machine. */
    @Override
    public Duration commandTimeout() {
        return Duration.ofMillis(1_000);
    }
}
