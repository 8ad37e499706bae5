package dev.holdfast.server;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on etcd. */
@Tag("full")
final class EtcdScenariosTest extends StoreScenarios {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void start() throws InterruptedException {
        url = "etcd://" + EtcdNode.start(RIG).address() + "/scenarios#session=6s";
    }

    @Override
    String url() {
        return url;
    }
}
