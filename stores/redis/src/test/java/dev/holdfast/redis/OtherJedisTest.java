package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisCluster;
import dev.holdfast.rig.redis.RedisNode;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same classes with other versions of Jedis on the class path. */
final class OtherJedisTest {
    private static final Pattern JEDIS_JAR = Pattern.compile("jedis-[0-9.]+\\.jar");

    @RegisterExtension
    static final Rig rig = new Rig();

    @Test
    void oldestSupportedJedisCanDoEverything() throws IOException, InterruptedException {
        RedisNode redis = RedisNode.start(rig);
        RedisCluster cluster = RedisCluster.start(rig, RedisSettings.defaults());

        assertThat(smoke("holdfast.jedis.oldest", redis.url(), Integer.toString(redis.port())))
                .endsWith("fine");
        assertThat(smoke("holdfast.jedis.oldest", cluster.url())).endsWith("fine");
    }

    @Test
    void olderJedisIsRefusedInOneSentence() throws IOException, InterruptedException {
        RedisNode redis = RedisNode.start(rig);

        assertThat(smoke("holdfast.jedis.refused", redis.url()))
                .contains("Jedis 6.0.0 is on the class path")
                .contains("7.4 or later");
    }

    private static String smoke(String jedis, String... arguments) throws IOException, InterruptedException {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> JEDIS_JAR
                                .matcher(Path.of(entry).getFileName().toString())
                                .matches()
                        ? System.getProperty(jedis)
                        : entry)
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(classPath).contains(System.getProperty(jedis));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-classpath",
                classPath,
                Smoke.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        process.waitFor();
        return output;
    }
}
