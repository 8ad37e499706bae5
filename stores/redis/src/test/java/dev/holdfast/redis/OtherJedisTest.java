package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.rig.redis.RedisSentinels;
import dev.holdfast.rig.redis.RedisSettings;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same classes with each version of Jedis on the class path that programs have, and with none. */
final class OtherJedisTest {
    private static final Pattern CLIENTS =
            Pattern.compile("(jedis|lettuce-core|spring-data-redis)-[0-9.]+(RELEASE)?\\.jar");

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5.2.0", "6.0.0", "6.2.0", "7.4.1", "8.0.2"})
    void anyJedisCanBeThere(String version) throws IOException, InterruptedException {
        Path jar = Path.of(System.getProperty("holdfast.jedis.directory"), "jedis-" + version + ".jar");
        assertThat(jar).exists();

        assertThat(smoke(jar.toString(), redis.url(), Integer.toString(redis.port())))
                .endsWith("fine with a pool and " + clientOf(version));
    }

    @Test
    @Tag("full")
    void clientsOfSentinelsAndClustersOfAnyJedis() throws IOException, InterruptedException {
        RedisSentinels group = RedisSentinels.start(rig, RedisSettings.defaults());
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());
        for (String version : List.of("5.2.0", "6.0.0", "6.2.0", "7.4.1", "8.0.2")) {
            Path jar = Path.of(System.getProperty("holdfast.jedis.directory"), "jedis-" + version + ".jar");
            assertThat(smoke(
                            jar.toString(),
                            redis.url(),
                            group.masterName(),
                            addresses(group.sentinels()),
                            addresses(cluster.nodes())))
                    .as(version)
                    .containsPattern(
                            "fine with (JedisSentineled|RedisSentinelClient) and (JedisCluster|RedisClusterClient)$");
        }
    }

    private static String addresses(List<RedisNode> nodes) {
        return nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
    }

    @Test
    void noJedisIsNeeded() throws IOException, InterruptedException {
        assertThat(smoke(null, redis.url())).endsWith("fine");
    }

    private static String clientOf(String version) {
        return version.startsWith("5") || version.startsWith("6") ? "JedisPooled" : "RedisClient";
    }

    private static String smoke(@Nullable String jedis, String... arguments) throws IOException, InterruptedException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !CLIENTS.matcher(Path.of(entry).getFileName().toString())
                        .matches())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-classpath",
                jedis == null ? classPath : classPath + File.pathSeparator + jedis,
                Smoke.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        process.waitFor();
        return output;
    }
}
