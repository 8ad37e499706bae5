package dev.holdfast.zookeeper;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.GivenZooKeeper;
import dev.holdfast.tck.LockStoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole API in the simple mode, on one server. */
@Tag("full")
final class SimpleLockTest extends LockStoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = "zookeeper://" + GivenZooKeeper.addresses(rig) + "/tck-simple#mode=simple&session=3s";
    }

    @Override
    public String url() {
        return url;
    }
}
