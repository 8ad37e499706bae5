package dev.holdfast.redis.wire;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where the servers are and who asks, taken from a URL. Does not show secrets.
 *
 * @param kind what is there
 * @param tls whether connections are encrypted
 * @param hosts the server, the sentinels, some members of the cluster, or all nodes of a quorum
 * @param master the name by which sentinels know the master; empty otherwise
 * @param database the database number
 * @param user the ACL user, or null for the default one
 * @param password the password, or null for none
 */
public record Address(
        Kind kind,
        boolean tls,
        List<HostAndPort> hosts,
        String master,
        int database,
        @Nullable String user,
        @Nullable String password) {
    private static final int MOST_DATABASES = 1_000_000;
    private static final int FEWEST_NODES = 3;
    private static final int MOST_NODES = 31;

    /** What a URL leads to. */
    public enum Kind {
        ONE("redis", 6379),
        SENTINEL("redis+sentinel", 26379),
        CLUSTER("redis+cluster", 6379),
        REDLOCK("redlock", 6379);

        private final String scheme;
        private final int defaultPort;

        Kind(String scheme, int defaultPort) {
            this.scheme = scheme;
            this.defaultPort = defaultPort;
        }

        public String scheme() {
            return scheme;
        }

        public String encryptedScheme() {
            return this == REDLOCK ? "redlock+tls" : scheme.replaceFirst("redis", "rediss");
        }
    }

    public static Address of(StoreUri uri) {
        for (Kind kind : Kind.values()) {
            boolean tls = uri.scheme().equals(kind.encryptedScheme());
            if (tls || uri.scheme().equals(kind.scheme)) {
                return of(uri, kind, tls);
            }
        }
        throw new StoreMisconfiguredException("'" + uri.scheme() + "' is not a scheme for Redis");
    }

    private static Address of(StoreUri uri, Kind kind, boolean tls) {
        if (!uri.path().startsWith("//") || uri.path().indexOf('?') >= 0) {
            throw malformed(uri, kind);
        }
        String rest = uri.path().substring(2);
        int at = rest.lastIndexOf('@');
        String userInfo = at < 0 ? "" : rest.substring(0, at);
        String place = rest.substring(at + 1);
        int slash = place.indexOf('/');
        String path = slash < 0 ? "" : place.substring(slash + 1);
        List<HostAndPort> hosts = hosts(slash < 0 ? place : place.substring(0, slash), uri, kind);
        String master = "";
        if (kind == Kind.SENTINEL) {
            int end = path.indexOf('/');
            master = decode(end < 0 ? path : path.substring(0, end), uri);
            path = end < 0 ? "" : path.substring(end + 1);
        }
        if ((kind == Kind.ONE && hosts.size() != 1) || (kind == Kind.SENTINEL && master.isEmpty())) {
            throw malformed(uri, kind);
        }
        if (kind == Kind.REDLOCK) {
            checkNodes(hosts, uri.toString());
        }
        int colon = userInfo.indexOf(':');
        String user = decode(colon < 0 ? userInfo : userInfo.substring(0, colon), uri);
        String password = colon < 0 ? null : decode(userInfo.substring(colon + 1), uri);
        Credentials apart = uri.credentials().orElse(null);
        if (apart != null) {
            password = apart.password();
            user = apart.user().orElse(user);
        }
        if (password == null && !user.isEmpty()) {
            throw new StoreMisconfiguredException("the URL names the user but no password; give one in the URL, in"
                    + " HOLDFAST_PASSWORD or as credentials");
        }
        return new Address(kind, tls, hosts, master, database(path, uri, kind), user.isEmpty() ? null : user, password);
    }

    private static List<HostAndPort> hosts(String text, StoreUri uri, Kind kind) {
        List<HostAndPort> hosts = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            int colon = each.lastIndexOf(':');
            // The colons of an IPv6 address are in brackets.
            boolean withPort = colon > each.lastIndexOf(']');
            String host = withPort ? each.substring(0, colon) : each;
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            int port = withPort ? number(each.substring(colon + 1), 65_535) : kind.defaultPort;
            if (host.isEmpty() || port < 1) {
                throw malformed(uri, kind);
            }
            hosts.add(new HostAndPort(host, port));
        }
        return List.copyOf(hosts);
    }

    /** A node that is named twice would have two votes. */
    public static void checkNodes(List<HostAndPort> hosts, String where) {
        if (hosts.size() < FEWEST_NODES
                || hosts.size() > MOST_NODES
                || Set.copyOf(hosts).size() != hosts.size()) {
            throw new StoreMisconfiguredException(where + " must name from " + FEWEST_NODES + " to " + MOST_NODES
                    + " nodes, none of them twice; five are usual");
        }
    }

    private static int database(String text, StoreUri uri, Kind kind) {
        int database = text.isEmpty() ? 0 : number(text, MOST_DATABASES);
        if (database < 0) {
            throw malformed(uri, kind);
        }
        if (database > 0 && kind == Kind.CLUSTER) {
            throw new StoreMisconfiguredException("a Redis Cluster has database 0 only, but " + uri + " names another");
        }
        return database;
    }

    /** The number, or -1 if it is none. */
    private static int number(String text, int most) {
        try {
            int number = Integer.parseInt(text);
            return number <= most ? number : -1;
        } catch (NumberFormatException notANumber) {
            return -1;
        }
    }

    private static String decode(String text, StoreUri uri) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            // Without the cause, whose message would show a piece of what may be a password.
            throw new StoreMisconfiguredException(
                    uri + " has a malformed percent sign; write '%25' for a percent sign");
        }
    }

    private static StoreMisconfiguredException malformed(StoreUri uri, Kind kind) {
        String form = switch (kind) {
            case ONE -> "redis://[user:password@]host[:port][/database]";
            case SENTINEL -> "redis+sentinel://[user:password@]host:port,host:port/master[/database]";
            case CLUSTER -> "redis+cluster://[user:password@]host:port,host:port";
            case REDLOCK -> "redlock://[user:password@]host:port,host:port,host:port[/database]";
        };
        return new StoreMisconfiguredException(
                uri + " does not have the form '" + form + "', with '" + kind.encryptedScheme() + "' for TLS");
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + hosts;
    }
}
