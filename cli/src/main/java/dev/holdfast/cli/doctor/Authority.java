package dev.holdfast.cli.doctor;

import dev.holdfast.Credentials;
import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What URLs of the form {@code scheme://user:password@host:port,host:port/path} name. Does not show secrets.
 *
 * @param places the servers
 * @param login who logs in, or null for nobody
 */
record Authority(List<Place> places, @Nullable Credentials login) {
    private static final Pattern FORM = Pattern.compile("//(?:([^/]*)@)?([^/@]+)(/.*)?");

    /** Where a server is. */
    record Place(String host, int port) {
        @Override
        public String toString() {
            return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        }
    }

    static Authority of(StoreUri uri) {
        Matcher parts = FORM.matcher(uri.path());
        if (!parts.matches()) {
            throw new StoreMisconfiguredException(
                    "'" + uri + "' does not have the form scheme://host:port,host:port/path");
        }
        List<Place> places = new ArrayList<>();
        for (String each : parts.group(2).split(",", -1)) {
            int colon = each.lastIndexOf(':');
            if (!each.substring(colon + 1).matches("\\d{1,5}")) {
                throw new StoreMisconfiguredException("not everything in '" + uri + "' is a server as host:port");
            }
            String host = each.substring(0, colon).replaceAll("^\\[|]$", "");
            places.add(new Place(host, Integer.parseInt(each.substring(colon + 1))));
        }
        return new Authority(List.copyOf(places), login(parts.group(1), uri));
    }

    private static @Nullable Credentials login(@Nullable String inUrl, StoreUri uri) {
        String[] parts = inUrl == null ? new String[0] : inUrl.split(":", 2);
        Credentials apart = uri.credentials().orElse(null);
        String user = parts.length > 0 ? decoded(parts[0]) : "";
        if (apart != null) {
            return Credentials.of(apart.user().orElse(user), apart.password());
        }
        return parts.length > 1 ? Credentials.of(user, decoded(parts[1])) : null;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return places.toString();
    }
}
