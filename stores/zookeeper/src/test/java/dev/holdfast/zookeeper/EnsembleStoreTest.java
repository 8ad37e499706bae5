package dev.holdfast.zookeeper;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.zookeeper.ZooKeeperEnsemble;
import dev.holdfast.rig.zookeeper.ZooKeeperSettings;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The single steps of the fair mode, on three servers: what one client did, another sees through another server. */
@Tag("full")
final class EnsembleStoreTest extends StoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = "zookeeper://"
                + ZooKeeperEnsemble.start(rig, ZooKeeperSettings.defaults()).addresses() + "/tck#session=6s";
    }

    @Override
    public String url() {
        return url;
    }
}
