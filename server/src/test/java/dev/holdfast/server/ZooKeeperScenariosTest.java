package dev.holdfast.server;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on ZooKeeper. */
@Tag("full")
final class ZooKeeperScenariosTest extends StoreScenarios {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void start() throws InterruptedException {
        url = "zookeeper://" + ZooKeeperNode.start(RIG).address() + "/scenarios#session=4s";
    }

    @Override
    String url() {
        return url;
    }
}
