package dev.holdfast.rig.zookeeper;

import dev.holdfast.rig.Rig;

/** A server for tests that only talk to it. */
public final class GivenZooKeeper {
    /** The environment variable that names an ensemble to use instead of starting a server. */
    public static final String ENVIRONMENT = "HOLDFAST_TEST_ZOOKEEPER";

    private GivenZooKeeper() {}

    /**
     * Tells where to find a server: what {@value #ENVIRONMENT} names ({@code host:port,host:port}), or one that is
     * started. Tests that stop or pause their server, or look into it, start one of their own with
     * {@link ZooKeeperNode}.
     *
     * @param rig in which one is started
     * @return addresses as in a connection string
     * @throws InterruptedException if interrupted
     */
    public static String addresses(Rig rig) throws InterruptedException {
        String given = System.getenv(ENVIRONMENT);
        return given == null || given.isBlank() ? ZooKeeperNode.start(rig).address() : given;
    }
}
