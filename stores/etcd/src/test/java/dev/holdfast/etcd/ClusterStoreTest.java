package dev.holdfast.etcd;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdCluster;
import dev.holdfast.rig.etcd.EtcdSettings;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The single steps, on three servers: what one client did, another sees through another member. */
@Tag("full")
final class ClusterStoreTest extends StoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = "etcd://" + EtcdCluster.start(rig, EtcdSettings.defaults()).addresses() + "/tck#session=6s";
    }

    @Override
    public String url() {
        return url;
    }
}
