package dev.holdfast.etcd;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.GivenEtcd;
import dev.holdfast.tck.LockStoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole API, on one server; the steps of the store are tested by {@link EtcdStoreTest} in every build. */
@Tag("full")
final class EtcdLockTest extends LockStoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = "etcd://" + GivenEtcd.addresses(rig) + "/tck#session=3s";
    }

    @Override
    public String url() {
        return url;
    }
}
