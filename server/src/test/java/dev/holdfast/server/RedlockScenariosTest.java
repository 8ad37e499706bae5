package dev.holdfast.server;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSettings;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on a quorum of three Redis nodes. */
@Tag("full")
final class RedlockScenariosTest extends StoreScenarios {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static String url;

    @BeforeAll
    static void start() throws InterruptedException {
        url = "redlock://"
                + RedisNode.startSeveral(RIG, 3, RedisSettings.defaults()).stream()
                        .map(node -> "127.0.0.1:" + node.port())
                        .collect(Collectors.joining(","))
                + "#fresh=true";
    }

    @Override
    String url() {
        return url;
    }
}
