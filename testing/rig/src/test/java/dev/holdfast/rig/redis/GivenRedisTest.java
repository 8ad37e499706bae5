package dev.holdfast.rig.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class GivenRedisTest {
    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void namedServerIsTakenAsItIs() {
        assertThat(GivenRedis.checked("rediss://user:word@redis.test:6380/3"))
                .isEqualTo("rediss://user:word@redis.test:6380/3");
        assertThatThrownBy(() -> GivenRedis.checked("http://redis.test"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HOLDFAST_TEST_REDIS");
    }

    @Test
    void fiveServersKnowNothingOfEachOther() throws InterruptedException {
        var nodes = RedisNode.startSeveral(rig, 5, RedisSettings.defaults());
        nodes.get(0).ask("SET", "k", "v");
        assertThat(nodes).hasSize(5);
        assertThat(nodes.subList(1, 5))
                .allSatisfy(node -> assertThat(node.ask("EXISTS", "k")).isEqualTo(0L));
    }
}
