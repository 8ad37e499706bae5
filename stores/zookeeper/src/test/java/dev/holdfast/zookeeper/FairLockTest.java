package dev.holdfast.zookeeper;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.GivenZooKeeper;
import dev.holdfast.tck.LockStoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole API in the fair mode, on one server. */
final class FairLockTest extends LockStoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = "zookeeper://" + GivenZooKeeper.addresses(rig) + "/tck#session=3s";
    }

    @Override
    public String url() {
        return url;
    }
}
