package dev.holdfast.zookeeper;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.utils.PathUtils;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;

/**
 * A URL of this store, taken apart.
 *
 * @param servers as in a connection string
 * @param base where the tree begins
 * @param mode how names are locked
 * @param session the timeout to ask the server for
 * @param user {@code user:password} for ZooKeeper's digest scheme, or null
 * @param tls how to encrypt, or null
 */
record Address(
        String servers,
        String base,
        Mode mode,
        Duration session,
        @Nullable String user,
        @Nullable Tls tls) {
    static final String DEFAULT_BASE = "/holdfast";
    static final Duration DEFAULT_SESSION = Duration.ofSeconds(15);

    private static final Duration SHORTEST_SESSION = Duration.ofMillis(100);
    private static final Duration LONGEST_SESSION = Duration.ofHours(1);
    private static final Pattern URL = Pattern.compile("//(?:([^/]*)@)?([^/@]+)(/.*)?");
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:]+]|[^:\\[\\]\\s]+):([0-9]{1,5})");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m)");

    /** Where certificates are; a key store only if the server asks clients for one. */
    record Tls(
            @Nullable String trustStore,
            @Nullable String trustStorePassword,
            @Nullable String keyStore,
            @Nullable String keyStorePassword) {

        ZKClientConfig configuration() {
            ZKClientConfig config = new ZKClientConfig();
            config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
            config.setProperty(
                    ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
            try (ClientX509Util names = new ClientX509Util()) {
                set(config, names.getSslTruststoreLocationProperty(), trustStore);
                set(config, names.getSslTruststorePasswdProperty(), trustStorePassword);
                set(config, names.getSslKeystoreLocationProperty(), keyStore);
                set(config, names.getSslKeystorePasswdProperty(), keyStorePassword);
            }
            return config;
        }

        private static void set(ZKClientConfig config, String property, @Nullable String value) {
            if (value != null) {
                config.setProperty(property, value);
            }
        }
    }

    static Address parse(StoreUri uri) {
        Matcher parts = URL.matcher(uri.path());
        if (!parts.matches()) {
            throw new StoreMisconfiguredException(
                    "'" + uri + "' is not a URL for ZooKeeper; it has the form zookeeper://host:port,host:port/base");
        }
        return new Address(
                servers(parts.group(2), uri),
                base(parts.group(3), uri),
                mode(uri),
                session(uri),
                user(parts.group(1), uri.credentials()),
                tls(uri));
    }

    private static String servers(String text, StoreUri uri) {
        for (String server : text.split(",", -1)) {
            Matcher match = SERVER.matcher(server);
            if (!match.matches()
                    || Integer.parseInt(match.group(2)) > 65_535
                    || match.group(2).equals("0")) {
                throw new StoreMisconfiguredException(
                        "not everything in '" + uri + "' is a server; give each as host:port, with commas in between");
            }
        }
        return text;
    }

    private static String base(@Nullable String path, StoreUri uri) {
        if (path == null || path.equals("/")) {
            return DEFAULT_BASE;
        }
        return checkedBase(path.endsWith("/") ? path.substring(0, path.length() - 1) : path, uri.toString());
    }

    static String checkedBase(String path, String where) {
        try {
            PathUtils.validatePath(path);
        } catch (IllegalArgumentException invalid) {
            throw new StoreMisconfiguredException(
                    "the base path in '" + where + "' is not a path in ZooKeeper: " + invalid.getMessage(), invalid);
        }
        if (path.equals("/") || path.equals("/zookeeper") || path.startsWith("/zookeeper/")) {
            throw new StoreMisconfiguredException(
                    "the base path in '" + where + "' must lie below the root and outside of /zookeeper");
        }
        return path;
    }

    private static Mode mode(StoreUri uri) {
        String word = uri.option("mode").orElse(Mode.FAIR.word());
        for (Mode mode : Mode.values()) {
            if (mode.word().equals(word)) {
                return mode;
            }
        }
        throw new StoreMisconfiguredException("the option 'mode' must be 'fair' or 'simple', but was '" + word + "'");
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
        if (session.compareTo(SHORTEST_SESSION) < 0 || session.compareTo(LONGEST_SESSION) > 0) {
            throw new StoreMisconfiguredException(
                    "the option 'session' must be from 100ms to 60m, such as '15s', but was '" + text + "'");
        }
        return session;
    }

    private static @Nullable String user(@Nullable String inUrl, Optional<Credentials> given) {
        String[] parts = inUrl == null ? new String[0] : inUrl.split(":", 2);
        String user = given.flatMap(Credentials::user).orElse(parts.length > 0 ? decode(parts[0]) : null);
        String password = given.map(Credentials::password).orElse(parts.length > 1 ? decode(parts[1]) : null);
        if (user == null && password == null) {
            return null;
        }
        if (user == null || user.isEmpty() || password == null) {
            throw new StoreMisconfiguredException(
                    "ZooKeeper needs a user and a password; give both, as credentials or in the URL before '@'");
        }
        if (user.indexOf(':') >= 0) {
            throw new StoreMisconfiguredException("a user of ZooKeeper's digest scheme has no ':' in its name");
        }
        return user + ":" + password;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new StoreMisconfiguredException(
                    "the user or password in the URL has a malformed percent sign; write '%25' for a percent sign");
        }
    }

    private static @Nullable Tls tls(StoreUri uri) {
        boolean wanted = switch (uri.option("tls").orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new StoreMisconfiguredException("the option 'tls' must be 'true' or 'false'");
        };
        for (String option : ZooKeeperStoreProvider.TLS_OPTIONS) {
            if (!wanted && uri.option(option).isPresent()) {
                throw new StoreMisconfiguredException("the option '" + option + "' needs 'tls=true' beside it");
            }
        }
        return wanted
                ? new Tls(
                        uri.option("trustStore").orElse(null),
                        uri.option("trustStorePassword").orElse(null),
                        uri.option("keyStore").orElse(null),
                        uri.option("keyStorePassword").orElse(null))
                : null;
    }
}
