package dev.holdfast.redis.redlock;

import dev.holdfast.rig.Rig;
import dev.holdfast.tck.LockStoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole API on five nodes; the steps of the store are tested by {@link RedlockStoreTest} in every build. */
@Tag("full")
final class RedlockLockTest extends LockStoreContract {
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
