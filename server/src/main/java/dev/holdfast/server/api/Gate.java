package dev.holdfast.server.api;

import dev.holdfast.server.wire.Call;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import java.net.InetAddress;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides who a request comes from. Without rules everybody who can reach the server may do everything. That includes
 * every browser that can, so pages of other sites are kept out by what browsers say of them.
 */
final class Gate {
    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost");
    private static final Pattern NUMBERS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-f:.]+]");
    private static final String BEARER = "bearer ";

    private final Supplier<@Nullable AccessRules> rules;
    private final Set<String> hosts;

    /**
     * Makes the gate.
     *
     * @param rules who may do what; null for everybody and everything
     * @param hosts further names that this server has
     */
    Gate(Supplier<@Nullable AccessRules> rules, Set<String> hosts) {
        this.rules = rules;
        this.hosts = Set.copyOf(hosts);
    }

    /** Refuses what a page of another site makes a browser send. */
    void refuseForeignPages(Call call) {
        String site = call.header("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw foreign();
        }
        String host = call.header("Host");
        if (host == null || call.count("Host") != 1) {
            throw new Problem(Code.MALFORMED, "one Host header is needed");
        }
        String origin = call.header("Origin");
        if (origin != null && !origin.equals("http://" + host) && !origin.equals("https://" + host)) {
            throw foreign();
        }
        // Somebody else's name that was made to point to this machine: the browser takes its page for one of ours. A
        // number cannot be made to point elsewhere. Where a token is needed such a page has none.
        String name = withoutPort(host);
        if (rules.get() == null
                && !LOOPBACK_NAMES.contains(name)
                && !hosts.contains(name)
                && !NUMBERS.matcher(name).matches()) {
            throw new Problem(
                    Code.FORBIDDEN,
                    "the Host header has a name that this server is not known by; use its number, or name it with"
                            + " --host");
        }
    }

    private static Problem foreign() {
        return new Problem(Code.FORBIDDEN, "pages of other sites may not use this server");
    }

    private static String withoutPort(String host) {
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon > host.lastIndexOf(']');
        return (hasPort ? host.substring(0, colon) : host).toLowerCase(Locale.ROOT);
    }

    /** {@return who asks} */
    Client clientOf(Call call) {
        AccessRules now = rules.get();
        if (now == null) {
            return anybody(call);
        }
        String header = call.header("Authorization");
        if (header == null) {
            Principal certified = call.certificate();
            Optional<Client> client = certified == null ? Optional.empty() : now.byCertificate(certified.getName());
            return client.orElseThrow(() -> unauthorized("send the header 'Authorization: Bearer TOKEN'"));
        }
        if (!header.toLowerCase(Locale.ROOT).startsWith(BEARER) || call.count("Authorization") > 1) {
            throw unauthorized("the header must be 'Authorization: Bearer TOKEN', once");
        }
        return now.byToken(header.substring(BEARER.length()).strip())
                .orElseThrow(() -> unauthorized("nobody has this token"));
    }

    private static Problem unauthorized(String what) {
        return new Problem(Code.UNAUTHORIZED, what);
    }

    private static Client anybody(Call call) {
        InetAddress from = call.remote().getAddress();
        String shown = "http@" + (from == null || from.isLoopbackAddress() ? "localhost" : from.getHostAddress());
        return new Client("anybody", shown, Set.of(Client.Role.values()), List.of(""));
    }
}
