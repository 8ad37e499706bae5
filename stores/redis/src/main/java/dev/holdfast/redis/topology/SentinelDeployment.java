package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.ConnectionSettings;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.spi.MonotonicClock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A master that sentinels watch. They are asked at the start, whenever the master does not answer as one, and at every
 * heartbeat, because a master that was cut off may go on answering those who are cut off with it. Thread-safe.
 */
public final class SentinelDeployment implements Deployment {
    private static final byte[] MASTER_ADDRESS = Keys.bytes("get-master-addr-by-name");

    private final List<Server> sentinels;
    private final MonotonicClock clock;
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
            List<Server> sentinels,
            String masterName,
            ConnectionSettings settings,
            MonotonicClock clock,
            Function<HostAndPort, Server> servers) {
        this.sentinels = sentinels;
        this.masterName = masterName;
        this.settings = settings;
        this.clock = clock;
        this.servers = servers;
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public Server serverFor(byte[] key, Deadline deadline) {
        Master known = master;
        return known != null && (!suspected || discovery.isLocked()) ? known.server : discover(deadline);
    }

    @Override
    public List<Server> masters(Deadline deadline) {
        return List.of(serverFor(new byte[0], deadline));
    }

    @Override
    public Server listeningPost(Deadline deadline) {
        return serverFor(new byte[0], deadline);
    }

    @Override
    public boolean isListeningPost(Server server) {
        Master known = master;
        return known != null && known.server == server;
    }

    @Override
    public Server follow(Redirection redirection, Server asked) {
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
            discover(Deadline.in(clock, settings.timeout()));
        } catch (BrokenExchange | ServerRefusal nobodyTells) {
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
        sentinels.forEach(Server::close);
        Master last = master;
        if (last != null) {
            last.server.close();
        }
    }

    private Server discover(Deadline deadline) {
        boolean interrupted = false;
        boolean locked = false;
        try {
            locked = discovery.tryLock(deadline.leftNanos(), TimeUnit.NANOSECONDS);
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
            return known != null && !suspected ? known.server : switchTo(ask(deadline));
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

    private HostAndPort ask(Deadline deadline) {
        RuntimeException last = null;
        for (int i = 0; i < sentinels.size(); i++) {
            Server server = sentinels.get((first + i) % sentinels.size());
            try {
                Call question = Call.of(Command.SENTINEL, MASTER_ADDRESS, Keys.bytes(masterName));
                server.carry(new Exchange(List.of(question), null, deadline));
                if (question.failure() != null) {
                    last = question.failure();
                    continue;
                }
                if (question.answer() instanceof List<?> address && address.size() == 2) {
                    first = (first + i) % sentinels.size();
                    return new HostAndPort(
                            Answers.text(address.get(0)), Integer.parseInt(Answers.text(address.get(1))));
                }
                last = new ServerRefusal("ERR No such master: " + masterName);
            } catch (BrokenExchange unreachable) {
                last = BrokenExchange.beforeSending("no sentinel answers", unreachable);
            } catch (ServerRefusal refused) {
                last = refused;
            }
        }
        first = (first + 1) % sentinels.size();
        throw last != null ? last : new IllegalStateException("there are no sentinels");
    }
}
