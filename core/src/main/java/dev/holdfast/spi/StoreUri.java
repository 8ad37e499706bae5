package dev.holdfast.spi;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is, taken apart: everything before the first {@code #} is the address, everything behind it our own
 * options, which never reach a driver. Secrets do not show in {@link #toString()}. Immutable.
 */
public final class StoreUri {
    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*");

    private final String scheme;
    private final String address;
    private final Map<String, String> options;
    private final @Nullable Credentials credentials;

    /** The address as messages may show it. */
    private final String shown;

    private StoreUri(
            String scheme,
            String address,
            String shown,
            Map<String, String> options,
            @Nullable Credentials credentials) {
        this.scheme = scheme;
        this.address = address;
        this.shown = shown;
        this.options = options;
        this.credentials = credentials;
    }

    /**
     * Takes a URL apart.
     *
     * @param url the URL
     * @param more further options, as if they stood behind {@code #}
     * @param credentials the user and password, if given apart from the URL
     * @return the parts
     * @throws StoreMisconfiguredException if it has no scheme, or an option is malformed or given twice
     */
    public static StoreUri parse(String url, Map<String, String> more, @Nullable Credentials credentials) {
        int colon = url.indexOf(':');
        if (colon < 0 || !SCHEME.matcher(url.substring(0, colon)).matches()) {
            throw new StoreMisconfiguredException("the store URL has no scheme; it begins with one, such as"
                    + " 'redis://host:port', 'jdbc:postgresql://…', 'zookeeper://host:port' or 'file:DIR'");
        }
        int hash = url.indexOf('#');
        String address = hash < 0 ? url : url.substring(0, hash);
        Map<String, String> options = new LinkedHashMap<>();
        if (hash >= 0 && hash < url.length() - 1) {
            for (String option : url.substring(hash + 1).split("&", -1)) {
                int equals = option.indexOf('=');
                if (equals < 1) {
                    throw new StoreMisconfiguredException(
                            "options behind '#' have the form name=value&name=value; one of them has not");
                }
                put(options, decode(option.substring(0, equals)), decode(option.substring(equals + 1)));
            }
        }
        more.forEach((key, value) -> put(options, key, value));
        String shown = ShownAddress.of(address, hash >= 0 && url.indexOf('@', hash) >= 0);
        return new StoreUri(url.substring(0, colon).toLowerCase(Locale.ROOT), address, shown, options, credentials);
    }

    /** {@return the scheme, in lower case, without the colon} */
    public String scheme() {
        return scheme;
    }

    /** {@return the whole URL up to the options, secrets included} */
    public String address() {
        return address;
    }

    /** {@return what follows the scheme's colon, up to the options} */
    public String path() {
        return address.substring(address.indexOf(':') + 1);
    }

    /** {@return our own options, unchangeable} */
    public Map<String, String> options() {
        return java.util.Collections.unmodifiableMap(options);
    }

    /**
     * Looks an option up.
     *
     * @param key the option
     * @return its value, if it was given
     */
    public Optional<String> option(String key) {
        return Optional.ofNullable(options.get(key));
    }

    /** {@return the user and password that were given apart from the URL, if any} */
    public Optional<Credentials> credentials() {
        return Optional.ofNullable(credentials);
    }

    /** {@return the address without secrets and options, for messages} */
    @Override
    public String toString() {
        return shown;
    }

    private static void put(Map<String, String> options, String key, String value) {
        if (options.putIfAbsent(key, value) != null) {
            throw new StoreMisconfiguredException("the option '" + key + "' is given twice");
        }
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new StoreMisconfiguredException(
                    "an option behind '#' has a malformed percent sign; write '%25' for a percent sign", malformed);
        }
    }
}
