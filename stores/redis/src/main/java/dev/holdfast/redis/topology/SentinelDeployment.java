package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Server;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisRedirectionException;

/**
 * A master that sentinels watch. They are asked at the start, whenever the master does not answer as one, and at every
 * heartbeat, because a master that was cut off may go on answering those who are cut off with it. Thread-safe.
 */
public final class SentinelDeployment implements Deployment {
    private static final byte[] MASTER_ADDRESS = Keys.bytes("get-master-addr-by-name");

    private final List<HostAndPort> sentinels;
    private final String masterName;
    private final ConnectionSettings settings;
    private final Function<HostAndPort, Server> servers;
    private final ReentrantLock discovery = new ReentrantLock();
    private volatile @Nullable Master master;
    private volatile boolean suspected;
    private volatile boolean closed;

    /** Which sentinel to ask first: another one after each failure. Guarded by {@link #discovery}. */
    private int first;

    private record Master(HostAndPort address, Server server) {}

    public SentinelDeployment(
            List<HostAndPort> sentinels,
            String masterName,
            ConnectionSettings settings,
            Function<HostAndPort, Server> servers) {
        this.sentinels = sentinels;
        this.masterName = masterName;
        this.settings = settings;
        this.servers = servers;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public Server serverFor(byte[] key) {
        Master known = master;
        return known != null && (!suspected || discovery.isLocked()) ? known.server : discover();
    }

    @Override
    public List<Server> masters() {
        return List.of(serverFor(new byte[0]));
    }

    @Override
    public Server listeningPost() {
        return serverFor(new byte[0]);
    }

    @Override
    public boolean isListeningPost(Server server) {
        Master known = master;
        return known != null && known.server == server;
    }

    @Override
    public Server follow(JedisRedirectionException redirection) {
        throw redirection;
    }

    @Override
    public void suspect(Server server) {
        if (isListeningPost(server)) {
            suspected = true;
        }
    }

    @Override
    public void beat() {
        suspected = true;
        try {
            discover();
        } catch (BrokenExchange | JedisDataException nobodyTells) {
            // The next call asks again, and reports it.
            suspected = true;
        }
    }

    @Override
    public String failover() {
        return "Sentinel: a failover loses what the new master had not received, so a lock may be granted while its"
                + " holder still counts on it, until the holder's next renewal; tokens still grow, as long as the new"
                + " master's clock is not behind the old one's by more than the failover took";
    }

    @Override
    public void close() {
        closed = true;
        Master last = master;
        if (last != null) {
            last.server.close();
        }
    }

    private Server discover() {
        boolean interrupted = false;
        boolean locked = false;
        try {
            locked = discovery.tryLock(settings.timeoutNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException later) {
            interrupted = true;
        }
        if (!locked) {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            throw BrokenExchange.beforeSending(
                    "the sentinels are being asked already", new TimeoutException("no answer in time"));
        }
        try {
            Master known = master;
            return known != null && !suspected ? known.server : switchTo(ask());
        } finally {
            discovery.unlock();
        }
    }

    private Server switchTo(HostAndPort address) {
        Master known = master;
        suspected = false;
        if (known != null && known.address.equals(address)) {
            return known.server;
        }
        Server server = servers.apply(address);
        master = new Master(address, server);
        if (known != null) {
            known.server.close();
        }
        if (closed) {
            server.close();
        }
        return server;
    }

    private HostAndPort ask() {
        RuntimeException last = null;
        for (int i = 0; i < sentinels.size(); i++) {
            HostAndPort sentinel = sentinels.get((first + i) % sentinels.size());
            try (Connection connection = settings.connect(sentinel)) {
                connection.sendCommand(Command.SENTINEL, MASTER_ADDRESS, Keys.bytes(masterName));
                List<byte[]> address = connection.getBinaryMultiBulkReply();
                if (address != null && address.size() == 2) {
                    first = (first + i) % sentinels.size();
                    return new HostAndPort(
                            Answers.text(address.get(0)), Integer.parseInt(Answers.text(address.get(1))));
                }
                last = new JedisDataException("ERR No such master: " + masterName);
            } catch (JedisConnectionException unreachable) {
                last = BrokenExchange.beforeSending("no sentinel answers", unreachable);
            }
        }
        first = (first + 1) % sentinels.size();
        throw last != null ? last : new IllegalStateException("there are no sentinels");
    }
}
