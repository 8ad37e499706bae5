package dev.holdfast.rig.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class RedisNodeTest {
    @RegisterExtension
    final Rig rig = new Rig();

    @Test
    void answersAfterStart() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        assertThat(redis.ask("SET", "k", "v")).isEqualTo("OK");
        assertThat(redis.ask("GET", "k")).isEqualTo("v");
        assertThat((String) redis.ask("INFO", "server")).contains("redis_version:7.");
    }

    @Test
    void stoppedServerComesBackOnTheSamePort() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        int port = redis.port();
        redis.stop();
        assertThat(redis.server().isRunning()).isFalse();
        assertThatThrownBy(() -> redis.ask("PING")).isInstanceOf(UncheckedIOException.class);
        redis.start();
        assertThat(redis.port()).isEqualTo(port);
        assertThat(redis.ask("PING")).isEqualTo("PONG");
    }

    @Test
    void durableServerKeepsItsDataEvenAfterAKill() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig, RedisSettings.defaults().withDurability());
        redis.ask("SET", "k", "v");
        redis.kill();
        redis.restart();
        assertThat(redis.ask("GET", "k")).isEqualTo("v");
        redis.restartEmpty();
        assertThat(redis.ask("GET", "k")).isNull();
    }

    @Test
    void otherServerForgetsOverARestart() throws InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        redis.ask("SET", "k", "v");
        redis.restart();
        assertThat(redis.ask("GET", "k")).isNull();
    }

    @Test
    void pausedServerIsSilentAndGoesOnLater() throws InterruptedException, IOException {
        RedisNode redis = RedisNode.start(rig);
        try (RespConnection connection =
                RespConnection.open(SocketFactory.getDefault(), redis.port(), Duration.ofMillis(200))) {
            assertThat(connection.ask("PING")).isEqualTo("PONG");
            redis.pause();
            assertThatThrownBy(() -> connection.ask("PING")).isInstanceOf(SocketTimeoutException.class);
            redis.resume();
            assertThat(connection.reply()).isEqualTo("PONG");
        }
    }

    @Test
    void passwordIsAskedForAndPartOfTheUrl() throws InterruptedException, IOException {
        RedisNode redis = RedisNode.start(rig, RedisSettings.defaults().withPassword("s3cret/word"));
        assertThat(redis.url()).contains(":s3cret%2Fword@");
        assertThat(redis.ask("PING")).isEqualTo("PONG");
        try (RespConnection stranger =
                RespConnection.open(SocketFactory.getDefault(), redis.port(), Duration.ofSeconds(5))) {
            assertThatThrownBy(() -> stranger.ask("PING"))
                    .isInstanceOf(RedisError.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    @Test
    void usersHaveTheRightsOfTheAclFile() throws InterruptedException, IOException {
        RedisNode redis = RedisNode.start(
                rig,
                RedisSettings.defaults()
                        .withPassword("admin-word")
                        .withUsers("user worker on >work-word ~jobs:* &* -@all +get +set"));
        assertThat(redis.ask("PING")).isEqualTo("PONG");
        try (RespConnection worker =
                RespConnection.open(SocketFactory.getDefault(), redis.port(), Duration.ofSeconds(5))) {
            worker.ask("AUTH", "worker", "work-word");
            assertThat(worker.ask("SET", "jobs:1", "x")).isEqualTo("OK");
            assertThatThrownBy(() -> worker.ask("SET", "other", "x")).hasMessageContaining("NOPERM");
            assertThatThrownBy(() -> worker.ask("DEL", "jobs:1")).hasMessageContaining("NOPERM");
        }
    }
}
