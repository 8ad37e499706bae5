package dev.holdfast.redis.taken;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.redis.wire.Access;
import dev.holdfast.redis.wire.HostAndPort;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where another client connects to, and how. Does not show secrets.
 *
 * @param url the address, without credentials
 * @param access the credentials, TLS and mapping
 */
public record TakenSettings(String url, Access access) {
    static String server(boolean tls, HostAndPort server, int database) {
        return (tls ? "rediss://" : "redis://") + shown(server) + database(database);
    }

    static String sentinel(boolean tls, Collection<HostAndPort> sentinels, @Nullable String master, int database) {
        if (master == null || master.isEmpty()) {
            throw new StoreMisconfiguredException("the settings of Redis Sentinel name no master");
        }
        return (tls ? "rediss" : "redis") + "+sentinel://" + shown(sentinels) + "/"
                + URLEncoder.encode(master, StandardCharsets.UTF_8).replace("+", "%20") + database(database);
    }

    static String cluster(boolean tls, Collection<HostAndPort> members) {
        return (tls ? "rediss" : "redis") + "+cluster://" + shown(members);
    }

    /** Credentials as other clients have them; null if there is no password. */
    static @Nullable Credentials credentials(@Nullable String user, char @Nullable [] password) {
        if (password == null || password.length == 0) {
            return null;
        }
        String secret = new String(password);
        return user == null || user.isEmpty() ? Credentials.ofPassword(secret) : Credentials.of(user, secret);
    }

    private static String database(int number) {
        return number == 0 ? "" : "/" + number;
    }

    private static String shown(Collection<HostAndPort> servers) {
        return servers.stream().map(TakenSettings::shown).collect(Collectors.joining(","));
    }

    private static String shown(HostAndPort server) {
        String host = server.host();
        return (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host) + ":" + server.port();
    }

    @Override
    public String toString() {
        return url;
    }
}
