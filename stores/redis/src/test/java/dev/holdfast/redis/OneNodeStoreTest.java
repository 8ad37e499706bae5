package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.GivenRedis;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The single steps on one server. */
final class OneNodeStoreTest extends StoreContract {
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
