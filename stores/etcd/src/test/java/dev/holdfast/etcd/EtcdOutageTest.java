package dev.holdfast.etcd;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.tck.OutageContract;
import dev.holdfast.tck.Outages;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Outages of one server. */
@Tag("full")
final class EtcdOutageTest extends OutageContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdOutages outages;

    @BeforeAll
    static void start() throws InterruptedException {
        outages = EtcdOutages.of(rig, EtcdNode.start(rig));
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
