package dev.holdfast.redis.wire;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Where servers are reached that call themselves otherwise, because they are in containers or behind address translation.
 * Immutable.
 */
final class AddressMap implements UnaryOperator<HostAndPort> {
    static final String OPTION = "addressMap";

    private final Map<HostAndPort, HostAndPort> servers = new HashMap<>();
    private final Map<String, String> hosts = new HashMap<>();

    private AddressMap() {}

    /** Reads the option: {@code told:port=real:port} for a server, {@code told=real} for a host with the same ports. */
    static UnaryOperator<HostAndPort> of(StoreUri uri) {
        String text = uri.option(OPTION).orElse("");
        if (text.isEmpty()) {
            return UnaryOperator.identity();
        }
        AddressMap map = new AddressMap();
        for (String pair : text.split(",", -1)) {
            String[] sides = pair.split("=", -1);
            if (sides.length != 2 || sides[0].isEmpty() || sides[1].isEmpty()) {
                throw malformed();
            }
            map.add(sides[0], sides[1]);
        }
        return map;
    }

    @Override
    public HostAndPort apply(HostAndPort told) {
        HostAndPort server = servers.get(told);
        if (server != null) {
            return server;
        }
        String host = hosts.get(told.host());
        return host == null ? told : new HostAndPort(host, told.port());
    }

    private void add(String told, String real) {
        if (hasPort(told) != hasPort(real)) {
            throw malformed();
        }
        if (hasPort(told)) {
            servers.put(server(told), server(real));
        } else {
            hosts.put(host(told), host(real));
        }
    }

    private static boolean hasPort(String text) {
        // The colons of an IPv6 address are in brackets.
        return text.lastIndexOf(':') > text.lastIndexOf(']');
    }

    private static HostAndPort server(String text) {
        try {
            HostAndPort parsed = HostAndPort.of(text);
            return new HostAndPort(host(parsed.host()), parsed.port());
        } catch (NumberFormatException noPort) {
            throw malformed();
        }
    }

    private static String host(String text) {
        return text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    }

    private static StoreMisconfiguredException malformed() {
        return new StoreMisconfiguredException("the option '" + OPTION + "' must have the form"
                + " 'told:port=real:port,…' or 'told=real,…', such as '172.18.0.2:6379=localhost:7001'");
    }
}
