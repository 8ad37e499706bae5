package dev.holdfast.redis.redlock;

import dev.holdfast.rig.Rig;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The single steps on five nodes. */
final class RedlockStoreTest extends StoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = RedlockNodes.start(rig, 5).url(RedlockNodes.CALM);
    }

    @Override
    public String url() {
        return url;
    }
}
