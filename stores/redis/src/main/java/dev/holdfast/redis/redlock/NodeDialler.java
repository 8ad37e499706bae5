package dev.holdfast.redis.redlock;

import dev.holdfast.redis.wire.BrokenConnection;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.HostLookup;
import dev.holdfast.redis.wire.Script;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
     * @param addressFound by when the node's address has to be found
     * @param toldBy by when the program has to tell how to connect
     * @throws BrokenExchange if that is not possible
     */
    NodeConnection dial(Set<Script> unknown, Deadline addressFound, Deadline toldBy) {
        try {
            List<byte[]> login = settings.loginCommands(toldBy);
            HostAndPort real = settings.reach(address, toldBy);
            NodeChannel channel = new NodeChannel(addresses(real, addressFound), settings.engines(real));
            return new NodeConnection(channel, login, settings.courtesyCommands(), address.toString(), unknown);
        } catch (IOException | BrokenConnection unreachable) {
            throw BrokenExchange.beforeSending(address + " cannot be reached", unreachable);
        }
    }

    /** Nobody answered at the address that is tried first. */
    void tryAnotherAddress() {
        first.incrementAndGet();
    }

    /** Begins to look for the node's address. */
    void lookUp(Deadline toldBy) {
        try {
            HostLookup.SYSTEM.begin(settings.reach(address, toldBy).host());
        } catch (BrokenConnection nobodyTells) {
            // Whoever connects is told so.
            return;
        }
    }

    private List<InetSocketAddress> addresses(HostAndPort real, Deadline deadline) throws IOException {
        List<InetSocketAddress> all = new ArrayList<>();
        for (InetAddress host : HostLookup.SYSTEM.find(real.host(), deadline)) {
            all.add(new InetSocketAddress(host, real.port()));
        }
        Collections.rotate(all, -Math.floorMod(first.get(), all.size()));
        return all;
    }
}
