package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.cli.store.Settings;
import dev.holdfast.cli.store.StoreChoice;
import dev.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** Looks at the settings of Redis servers that can lose locks: one, or all nodes of a Redlock. */
final class RedisExamination implements Examination {
    private static final int USUAL_PORT = 6379;
    private static final int TIMEOUT_MILLIS = 2_000;

    @Override
    public boolean knows(String url) {
        return url.startsWith("redis://") || url.startsWith("redlock://");
    }

    @Override
    public List<Finding> examine(StoreChoice choice) {
        StoreUri uri = StoreUri.parse(choice.url(), Map.of(), choice.credentials());
        // What stands before the last @ is a user and a password, which must not be shown.
        String authority = uri.path().replaceFirst("^//", "").replaceFirst("[/?].*$", "");
        int at = authority.lastIndexOf('@');
        Optional<Credentials> credentials = at < 0 ? given(uri) : Optional.of(inUrl(authority.substring(0, at)));
        List<String> hosts = List.of(authority.substring(at + 1).split(",", -1));
        List<Finding> findings = new ArrayList<>();
        for (String host : hosts) {
            String prefix = hosts.size() > 1 ? host + ": " : "";
            examine(host, credentials, uri.scheme().equals("redlock"))
                    .forEach(each -> findings.add(new Finding(each.level(), prefix + each.what(), each.advice())));
        }
        return findings;
    }

    private static Optional<Credentials> given(StoreUri uri) {
        String password = System.getenv().getOrDefault(Settings.Key.PASSWORD.variable(), "");
        return uri.credentials()
                .or(() -> password.isEmpty() ? Optional.empty() : Optional.of(Credentials.ofPassword(password)));
    }

    private static Credentials inUrl(String userInfo) {
        int colon = userInfo.indexOf(':');
        String password = URLDecoder.decode(userInfo.substring(colon + 1), StandardCharsets.UTF_8);
        return colon <= 0
                ? Credentials.ofPassword(password)
                : Credentials.of(URLDecoder.decode(userInfo.substring(0, colon), StandardCharsets.UTF_8), password);
    }

    private static List<Finding> examine(String address, Optional<Credentials> credentials, boolean node) {
        DefaultJedisClientConfig.Builder config =
                DefaultJedisClientConfig.builder().timeoutMillis(TIMEOUT_MILLIS);
        credentials.ifPresent(given -> config.user(given.user().orElse(null)).password(given.password()));
        List<Finding> findings = new ArrayList<>();
        try (Jedis redis = new Jedis(HostAndPort.from(withPort(address)), config.build())) {
            Map<String, String> info = info(redis);
            findings.add(Finding.ok("version " + info.getOrDefault("redis_version", "unknown")));
            replication(info, node, findings);
            settings(redis, node, findings);
        } catch (JedisException refused) {
            findings.add(Finding.unknown(
                    "the server does not let this user look at its settings",
                    "ask with a user that may use INFO and CONFIG GET"));
        }
        return findings;
    }

    private static void replication(Map<String, String> info, boolean node, List<Finding> findings) {
        if (!info.getOrDefault("role", "master").equals("master")) {
            findings.add(Finding.danger("it is a replica", "name its master, or use redis+sentinel://"));
        }
        int replicas = Integer.parseInt(info.getOrDefault("connected_slaves", "0"));
        if (replicas > 0) {
            findings.add(
                    node
                            ? Finding.danger(
                                    "a node of a Redlock has " + replicas + " replicas",
                                    "take them away: a promoted replica may vote for a second holder")
                            : Finding.danger(
                                    "it has " + replicas + (replicas == 1 ? " replica" : " replicas")
                                            + ", but redis:// does not follow a promotion",
                                    "use redis+sentinel:// or redis+cluster://"));
        }
        if (info.getOrDefault("cluster_enabled", "0").equals("1")) {
            findings.add(Finding.danger("it is a member of a cluster", "use redis+cluster://"));
        }
    }

    private static void settings(Jedis redis, boolean node, List<Finding> findings) {
        Map<String, String> settings = new HashMap<>();
        for (String name : new String[] {"maxmemory", "maxmemory-policy", "appendonly", "appendfsync"}) {
            settings.putAll(redis.configGet(name));
        }
        String policy = settings.getOrDefault("maxmemory-policy", "noeviction");
        if (!policy.equals("noeviction")) {
            findings.add(Finding.danger(
                    "maxmemory-policy is " + policy + ": a full server deletes locks that are held",
                    "CONFIG SET maxmemory-policy noeviction, or a server of its own for locks"));
        } else {
            findings.add(Finding.ok("maxmemory-policy is noeviction"));
        }
        boolean appends = settings.getOrDefault("appendonly", "no").equals("yes");
        String fsync = settings.getOrDefault("appendfsync", "everysec");
        if (appends && fsync.equals("always")) {
            findings.add(Finding.ok("every write is on the disk before it is answered (appendfsync always)"));
        } else {
            findings.add(Finding.danger(
                    (appends ? "appendfsync is " + fsync : "appendonly is off")
                            + ": a restart forgets locks that are held"
                            + (node ? ", and the node may vote for a second holder" : ""),
                    "appendonly yes and appendfsync always, or let what locks protect check the token"));
        }
    }

    private static Map<String, String> info(Jedis redis) {
        Map<String, String> info = new HashMap<>();
        redis.info().lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
            int colon = line.indexOf(':');
            info.put(line.substring(0, colon), line.substring(colon + 1).strip());
        });
        return info;
    }

    private static String withPort(String address) {
        return address.matches(".*:\\d+") ? address : address + ":" + USUAL_PORT;
    }
}
