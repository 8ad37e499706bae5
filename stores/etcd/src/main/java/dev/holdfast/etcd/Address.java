package dev.holdfast.etcd;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A URL of this store, taken apart.
 *
 * @param servers one per member
 * @param prefix what all keys begin with
 * @param session the timeout to ask for
 * @param login user and password, or null
 * @param encrypted whether to use TLS
 * @param ca a PEM file with the authority that signed the servers' certificates, or null for Java's own
 * @param cert a PEM file with the client's certificate, or null
 * @param key a PEM file with its key, or null
 */
record Address(
        List<Server> servers,
        String prefix,
        Duration session,
        @Nullable Login login,
        boolean encrypted,
        @Nullable String ca,
        @Nullable String cert,
        @Nullable String key) {
    static final String SCHEME = "etcd";
    static final String ENCRYPTED_SCHEME = "etcd+tls";
    static final String DEFAULT_PREFIX = "holdfast/";
    static final Duration DEFAULT_SESSION = Duration.ofSeconds(15);

    /** Beyond five minutes an optional feature of etcd (checkpoints of leases) would shorten what is left after a failover. */
    private static final Duration LONGEST_SESSION = Duration.ofMinutes(5);

    private static final Duration SHORTEST_SESSION = Duration.ofSeconds(2);
    private static final int LARGEST_PORT = 65_535;
    private static final Pattern URL = Pattern.compile("//(?:([^/]*)@)?([^/@]+)(/.*)?");
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:]+]|[^:\\[\\]\\s]+):([0-9]{1,5})");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,6})(ms|s|m)");

    /** Where a member listens. */
    record Server(String host, int port) {}

    static Address parse(StoreUri uri) {
        Matcher parts = URL.matcher(uri.path());
        if (!parts.matches()) {
            throw new StoreMisconfiguredException(
                    "'" + uri + "' is not a URL for etcd; it has the form etcd://host:port,host:port/prefix");
        }
        boolean encrypted = uri.scheme().equals(ENCRYPTED_SCHEME);
        for (String option : List.of("ca", "cert", "key")) {
            if (!encrypted && uri.option(option).isPresent()) {
                throw new StoreMisconfiguredException(
                        "the option '" + option + "' needs a URL that begins with etcd+tls://");
            }
        }
        if (uri.option("cert").isPresent() != uri.option("key").isPresent()) {
            throw new StoreMisconfiguredException("the options 'cert' and 'key' need each other");
        }
        return new Address(
                servers(parts.group(2), uri),
                prefix(parts.group(3), uri.toString()),
                session(uri),
                login(parts.group(1), uri.credentials()),
                encrypted,
                uri.option("ca").orElse(null),
                uri.option("cert").orElse(null),
                uri.option("key").orElse(null));
    }

    private static List<Server> servers(String text, StoreUri uri) {
        List<Server> servers = new ArrayList<>();
        for (String server : text.split(",", -1)) {
            Matcher match = SERVER.matcher(server);
            int port = match.matches() ? Integer.parseInt(match.group(2)) : 0;
            if (port == 0 || port > LARGEST_PORT) {
                throw new StoreMisconfiguredException(
                        "not everything in '" + uri + "' is a server; give each as host:port, with commas in between");
            }
            String host = match.group(1);
            servers.add(new Server(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port));
        }
        return List.copyOf(servers);
    }

    private static String prefix(@Nullable String path, String where) {
        return path == null || path.equals("/") ? DEFAULT_PREFIX : checkedPrefix(path.substring(1), where);
    }

    /** With one slash at its end. */
    static String checkedPrefix(String text, String where) {
        String prefix = text.endsWith("/") ? text : text + "/";
        if (prefix.equals("/") || prefix.chars().anyMatch(Character::isISOControl)) {
            throw new StoreMisconfiguredException(
                    "the prefix in '" + where + "' must not be empty and must have no control characters");
        }
        return prefix;
    }

    private static Duration session(StoreUri uri) {
        String text = uri.option("session").orElse(DEFAULT_SESSION.toSeconds() + "s");
        Matcher match = DURATION.matcher(text.toLowerCase(Locale.ROOT));
        Duration session = Duration.ZERO;
        if (match.matches()) {
            long number = Long.parseLong(match.group(1));
            session = switch (match.group(2)) {
                case "ms" -> Duration.ofMillis(number);
                case "s" -> Duration.ofSeconds(number);
                default -> Duration.ofMinutes(number);
            };
        }
        return checkedSession(session, text);
    }

    static Duration checkedSession(Duration session, String text) {
        if (session.compareTo(SHORTEST_SESSION) < 0 || session.compareTo(LONGEST_SESSION) > 0) {
            throw new StoreMisconfiguredException(
                    "the option 'session' must be from 2s to 5m, such as '15s', but was '" + text + "'");
        }
        return session;
    }

    private static @Nullable Login login(@Nullable String inUrl, Optional<Credentials> given) {
        String[] parts = inUrl == null ? new String[0] : inUrl.split(":", 2);
        String user = given.flatMap(Credentials::user).orElse(parts.length > 0 ? decode(parts[0]) : null);
        String password = given.map(Credentials::password).orElse(parts.length > 1 ? decode(parts[1]) : null);
        if (user == null && password == null) {
            return null;
        }
        if (user == null || user.isEmpty() || password == null) {
            throw new StoreMisconfiguredException(
                    "etcd needs a user and a password; give both, as credentials or in the URL before '@'");
        }
        return new Login(user, password);
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new StoreMisconfiguredException(
                    "the user or password in the URL has a malformed percent sign; write '%25' for a percent sign");
        }
    }
}
