package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.GivenRedis;
import dev.holdfast.tck.LockStoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole API on one server. */
final class OneNodeLockTest extends LockStoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = GivenRedis.url(rig);
    }

    @Override
    public String url() {
        return url;
    }
}
