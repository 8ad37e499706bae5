package dev.holdfast.redis.wire;

/**
 * Where a server is.
 *
 * @param host a name or an address
 * @param port the port
 */
public record HostAndPort(String host, int port) {
    /** Reads {@code host:port}; the host may have colons of its own. */
    public static HostAndPort of(String text) {
        int colon = text.lastIndexOf(':');
        return new HostAndPort(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
