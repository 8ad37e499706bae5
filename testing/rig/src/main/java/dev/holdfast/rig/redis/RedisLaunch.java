package dev.holdfast.rig.redis;

import dev.holdfast.rig.Directories;
import dev.holdfast.rig.Launch;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.SocketFactory;

/**
 * How a Redis server is started.
 *
 * @param role what kind of server
 * @param settings how it is set up
 */
record RedisLaunch(Role role, RedisSettings settings) implements Launch {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** What a Redis process can be. */
    enum Role {
        DATA,
        CLUSTER_MEMBER,
        SENTINEL
    }

    @Override
    public int ports() {
        return role == Role.CLUSTER_MEMBER ? 2 : 1;
    }

    @Override
    public List<String> prepare(Place place) throws IOException {
        Path file = configurationFile(place);
        Files.createDirectories(data(place));
        if (!Files.exists(file)) {
            Files.write(file, configuration(place));
        }
        List<String> command = new ArrayList<>(List.of(RedisBinary.find().toString(), file.toString()));
        if (role == Role.SENTINEL) {
            command.add("--sentinel");
        }
        return List.copyOf(command);
    }

    /** Whoever else may answer on the port, with this configuration it is our server. */
    @Override
    public boolean ready(Place place) throws IOException {
        try (RespConnection connection = connect(place.port())) {
            return "PONG".equals(connection.ask("PING"))
                    && String.valueOf(connection.ask("INFO", "server"))
                            .lines()
                            .anyMatch(("config_file:" + configurationFile(place))::equals);
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
        Certificates certificates = settings.certificates();
        SocketFactory sockets = certificates == null
                ? SocketFactory.getDefault()
                : certificates.clientContext().getSocketFactory();
        RespConnection connection = RespConnection.open(sockets, port, PATIENCE);
        String password = settings.password();
        if (password != null) {
            authenticate(connection, password);
        }
        return connection;
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
        List<String> lines = new ArrayList<>();
        lines.add("bind 127.0.0.1 -::1");
        lines.add("dir \"" + data(place) + "\"");
        lines.add("daemonize no");
        addPorts(lines, place);
        addUsers(lines, place);
        if (role != Role.SENTINEL) {
            lines.add("save \"\"");
            lines.add("appendonly " + (settings.durable() ? "yes" : "no"));
            lines.add("appendfsync " + (settings.durable() ? "always" : "no"));
            if (RedisBinary.isSeven(RedisBinary.find())) {
                lines.add("enable-debug-command local");
            }
            // Replicas are in step at once instead of waiting for more of them to come.
            lines.add("repl-diskless-sync-delay 0");
            lines.add("repl-ping-replica-period 1");
        }
        if (role == Role.CLUSTER_MEMBER) {
            lines.add("cluster-enabled yes");
            lines.add("cluster-config-file nodes.conf");
            lines.add("cluster-port " + place.ports().get(1));
        }
        lines.addAll(settings.lines());
        return lines;
    }

    private void addPorts(List<String> lines, Place place) {
        Certificates certificates = settings.certificates();
        if (certificates == null) {
            lines.add("port " + place.port());
            return;
        }
        lines.add("port 0");
        lines.add("tls-port " + place.port());
        lines.add("tls-cert-file \"" + certificates.certificateFile() + "\"");
        lines.add("tls-key-file \"" + certificates.keyFile() + "\"");
        lines.add("tls-ca-cert-file \"" + certificates.authorityFile() + "\"");
        lines.add("tls-auth-clients no");
        lines.add("tls-replication yes");
        lines.add("tls-cluster yes");
    }

    private void addUsers(List<String> lines, Place place) throws IOException {
        String password = settings.password();
        if (!settings.users().isEmpty()) {
            Path file = place.directory().resolve("users.acl");
            List<String> users = new ArrayList<>(settings.users());
            if (users.stream().noneMatch(line -> line.startsWith("user default "))) {
                // With an ACL file the password of the configuration is ignored, so the file has to repeat it.
                users.add("user default on " + (password == null ? "nopass" : ">" + password) + " ~* &* +@all");
            }
            Files.write(file, users);
            lines.add("aclfile \"" + file + "\"");
        }
        if (password != null) {
            lines.add("requirepass \"" + password + "\"");
            lines.add("masterauth \"" + password + "\"");
        }
    }

    private static Path configurationFile(Place place) {
        return place.directory().resolve("redis.conf");
    }

    private static Path data(Place place) {
        return place.directory().resolve("data");
    }
}
