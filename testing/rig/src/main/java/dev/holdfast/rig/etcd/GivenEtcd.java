package dev.holdfast.rig.etcd;

import dev.holdfast.rig.Rig;

/** A server for tests that only talk to it. */
public final class GivenEtcd {
    /** The environment variable that names a cluster to use instead of starting a server. */
    public static final String ENVIRONMENT = "HOLDFAST_TEST_ETCD";

    private GivenEtcd() {}

    /**
     * Tells where to find a server: what {@value #ENVIRONMENT} names ({@code host:port,host:port}), or one that is
     * started.
     *
     * @param rig in which one is started
     * @return addresses as in a URL
     * @throws InterruptedException if interrupted
     */
    public static String addresses(Rig rig) throws InterruptedException {
        String given = System.getenv(ENVIRONMENT);
        return given == null || given.isBlank() ? EtcdNode.start(rig).address() : given;
    }
}
