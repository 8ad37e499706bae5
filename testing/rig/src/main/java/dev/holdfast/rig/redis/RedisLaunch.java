package dev.holdfast.rig.redis;

import dev.holdfast.rig.Directories;
import dev.holdfast.rig.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/** How a Redis server is started. Immutable. */
final class RedisLaunch implements Launch {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final RedisSettings settings;

    RedisLaunch(RedisSettings settings) {
        this.settings = settings;
    }

    @Override
    public List<String> prepare(Place place) throws IOException {
        Path configuration = place.directory().resolve("redis.conf");
        Files.createDirectories(data(place));
        if (!Files.exists(configuration)) {
            Files.write(configuration, configuration(place));
        }
        return List.of(RedisBinary.find().toString(), configuration.toString());
    }

    @Override
    public boolean ready(Place place) throws IOException {
        try (RespConnection connection = connect(place.port())) {
            return "PONG".equals(connection.ask("PING"));
        } catch (RedisError stillLoading) {
            return false;
        }
    }

    @Override
    public void forget(Place place) throws IOException {
        Directories.delete(data(place).resolve("appendonlydir"));
        Files.deleteIfExists(data(place).resolve("dump.rdb"));
    }

    RespConnection connect(int port) throws IOException {
        RespConnection connection = RespConnection.open(SocketFactory.getDefault(), port, PATIENCE);
        String password = settings.password();
        if (password != null) {
            authenticate(connection, password);
        }
        return connection;
    }

    @Nullable
    String password() {
        return settings.password();
    }

    private static void authenticate(RespConnection connection, String password) throws IOException {
        try {
            connection.ask("AUTH", password);
        } catch (IOException | RuntimeException refused) {
            connection.close();
            throw refused;
        }
    }

    private List<String> configuration(Place place) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1 -::1",
                "port " + place.port(),
                "dir \"" + data(place) + "\"",
                "daemonize no",
                "save \"\"",
                "appendonly " + (settings.durable() ? "yes" : "no"),
                "appendfsync " + (settings.durable() ? "always" : "no"),
                "enable-debug-command local"));
        if (!settings.users().isEmpty()) {
            Path users = place.directory().resolve("users.acl");
            List<String> entries = new ArrayList<>(settings.users());
            if (entries.stream().noneMatch(line -> line.startsWith("user default "))) {
                // With an ACL file the password of the configuration is ignored, so the file has to repeat it.
                String secret = settings.password() == null ? "nopass" : "resetpass >" + settings.password();
                entries.add("user default on " + secret + " ~* &* +@all");
            }
            Files.write(users, entries);
            lines.add("aclfile \"" + users + "\"");
        }
        if (settings.password() != null) {
            lines.add("requirepass \"" + settings.password() + "\"");
            lines.add("masterauth \"" + settings.password() + "\"");
        }
        lines.addAll(settings.lines());
        return lines;
    }

    private static Path data(Place place) {
        return place.directory().resolve("data");
    }
}
