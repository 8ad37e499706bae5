package dev.holdfast.zookeeper;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of one server, in the fair mode. */
@Tag("full")
final class FairOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static ZooKeeperOutages outages;

    @BeforeAll
    static void start() throws InterruptedException {
        outages = ZooKeeperOutages.of(rig, Mode.FAIR, ZooKeeperNode.start(rig));
    }

    @Override
    public String url() {
        return outages.url();
    }

    @Override
    public Outages outages() {
        return outages;
    }
}
