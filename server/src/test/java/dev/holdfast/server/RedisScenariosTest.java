package dev.holdfast.server;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on Redis. */
final class RedisScenariosTest extends StoreScenarios {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void start() throws InterruptedException {
        url = RedisNode.start(RIG).url();
    }

    @Override
    String url() {
        return url;
    }
}
