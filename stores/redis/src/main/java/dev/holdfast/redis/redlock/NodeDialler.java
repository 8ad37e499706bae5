package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Script;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Begins connections to one node, and does not wait for them. Thread-safe. */
final class NodeDialler {
    private final HostAndPort address;
    private final ConnectionSettings settings;

    /** Which of the host's addresses is tried first: another one after a connection that nobody answered. */
    private final AtomicInteger first = new AtomicInteger();

    NodeDialler(HostAndPort address, ConnectionSettings settings) {
        this.address = address;
        this.settings = settings;
    }

    /**
     * Begins to connect.
     *
     * @param unknown scripts that the node is known not to know; it is added to, and taken from
     * @throws BrokenExchange if that is not possible
     */
    NodeConnection dial(Set<Script> unknown) {
        try {
            NodeChannel channel = new NodeChannel(addresses(), settings.engines(address));
            return new NodeConnection(channel, settings.loginCommands(), address.toString(), unknown);
        } catch (IOException unreachable) {
            throw BrokenExchange.beforeSending(address + " cannot be reached", unreachable);
        }
    }

    /** Nobody answered at the address that is tried first. */
    void tryAnotherAddress() {
        first.incrementAndGet();
    }

    private List<InetSocketAddress> addresses() throws UnknownHostException {
        List<InetSocketAddress> all = new ArrayList<>();
        for (InetAddress host : InetAddress.getAllByName(address.host())) {
            all.add(new InetSocketAddress(host, address.port()));
        }
        Collections.rotate(all, -Math.floorMod(first.get(), all.size()));
        return all;
    }
}
