package dev.holdfast.redis;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import dev.holdfast.tck.StoreContract;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The single steps on a master that sentinels watch. */
final class SentinelStoreTest extends StoreContract {
    @RegisterExtension
    static final Rig rig = new Rig();

    private static String url = "";

    @BeforeAll
    static void start() throws InterruptedException {
        url = RedisSentinels.start(rig, RedisSettings.defaults()).url();
    }

    @Override
    public String url() {
        return url;
    }
}
