package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.spi.MonotonicClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A Redis Cluster: a map from slots to servers, learned from its members and from their redirections. Thread-safe.
 */
public final class ClusterDeployment implements Deployment {
    private static final long SHORTEST_INTERVAL_NANOS = 50_000_000;

    /** What was learned longer ago is asked for anew before it is used, because a generation may be over by then. */
    private static final long LONGEST_TRUST_NANOS = 10_000_000_000L;

    private final Supplier<Collection<HostAndPort>> seeds;
    private final Function<HostAndPort, Server> factory;
    private final long patienceNanos;
    private final MonotonicClock clock;
    private final RandomGenerator random;
    private final Map<HostAndPort, Server> servers = new ConcurrentHashMap<>();
    private final SlotOwners owners = new SlotOwners();
    private final ReentrantLock discovery = new ReentrantLock();
    private volatile boolean suspected = true;

    /** When the map was learned last; written under {@link #discovery}. */
    private volatile long learnedNanos = -SHORTEST_INTERVAL_NANOS;

    private volatile boolean closed;

    public ClusterDeployment(
            Supplier<Collection<HostAndPort>> seeds,
            Function<HostAndPort, Server> factory,
            long patienceNanos,
            MonotonicClock clock,
            RandomGenerator random) {
        this.seeds = seeds;
        this.factory = factory;
        this.patienceNanos = patienceNanos;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public Call stamp(Call call) {
        return call.stamped(true);
    }

    @Override
    public Route routeTo(byte[] key) {
        int slot = JedisClusterCRC16.getSlot(key);
        Route route = owners.routeTo(slot);
        boolean old = clock.nanos() - learnedNanos > LONGEST_TRUST_NANOS;
        if (route == null || suspected || old) {
            suspected = true;
            discover(route != null && !old);
            route = owners.routeTo(slot);
        }
        if (route == null) {
            throw BrokenExchange.beforeSending(
                    "no member of the cluster has slot " + slot, new IllegalStateException("the slot is not covered"));
        }
        return route;
    }

    @Override
    public List<Server> masters() {
        if (suspected) {
            discover(false);
        }
        return List.copyOf(owners.servers());
    }

    @Override
    public Server listeningPost() {
        List<Server> masters = masters();
        if (masters.isEmpty()) {
            throw BrokenExchange.beforeSending(
                    "the cluster has no members", new IllegalStateException("no slot is covered"));
        }
        return masters.get(random.nextInt(masters.size()));
    }

    @Override
    public boolean isListeningPost(Server server) {
        return servers.containsValue(server);
    }

    @Override
    public Server follow(JedisRedirectionException redirection) {
        HostAndPort address = redirection.getTargetNode();
        if (!(redirection instanceof JedisAskDataException)) {
            moveTo(address, redirection.getSlot());
        }
        return server(address);
    }

    /** Nobody knows better what a member has, and since when, than the member itself. */
    private void moveTo(HostAndPort address, int slot) {
        lockDiscovery();
        try {
            Route known = owners.routeTo(slot);
            if (known == null || known.server() != servers.get(address)) {
                learn(ask(address));
            }
        } catch (BrokenExchange | JedisException silent) {
            suspected = true;
        } finally {
            discovery.unlock();
        }
    }

    @Override
    public void suspect(Server server) {
        suspected = true;
    }

    @Override
    public void beat() {
        // Members of a minority stop answering by themselves, and redirections tell the rest, but not that a server was
        // promoted twice since it was asked last.
        suspected = true;
        try {
            discover(false);
        } catch (BrokenExchange | JedisException nobodyTells) {
            suspected = true;
        }
    }

    @Override
    public String failover() {
        return "Cluster: a failover of a slot loses what the new master had not received, so a lock may be granted"
                + " while its holder still counts on it, until the holder's next renewal; tokens of a later master are"
                + " larger than all of an earlier one, which has an hour to find out that it is none; several names are"
                + " taken one after another";
    }

    @Override
    public void close() {
        closed = true;
        servers.values().forEach(Server::close);
    }

    private Server server(HostAndPort address) {
        Server server = servers.computeIfAbsent(address, factory);
        if (closed) {
            server.close();
        }
        return server;
    }

    /** Learns the map anew, if it is suspected; leaves that to another thread if there is something to go on with. */
    private void discover(boolean knowsSomething) {
        boolean locked = discovery.tryLock();
        if (!locked && knowsSomething) {
            return;
        }
        if (!locked) {
            lockDiscovery();
        }
        try {
            if (suspected && clock.nanos() - learnedNanos >= SHORTEST_INTERVAL_NANOS) {
                learn(askAnybody());
            }
        } finally {
            discovery.unlock();
        }
    }

    private void lockDiscovery() {
        boolean locked = false;
        try {
            locked = discovery.tryLock(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!locked) {
            throw BrokenExchange.beforeSending(
                    "the cluster is being asked already", new TimeoutException("no answer in time"));
        }
    }

    private ClusterMap askAnybody() {
        Set<HostAndPort> known = new HashSet<>(servers.keySet());
        known.addAll(seeds.get());
        List<HostAndPort> inAnyOrder = new ArrayList<>(known);
        Collections.shuffle(inAnyOrder, new java.util.Random(random.nextLong()));
        RuntimeException last = null;
        for (HostAndPort address : inAnyOrder) {
            try {
                return ask(address);
            } catch (BrokenExchange | JedisException silent) {
                last = silent;
            }
        }
        throw last != null ? last : new IllegalStateException("the cluster has no members");
    }

    private ClusterMap ask(HostAndPort address) {
        List<Call> questions = ClusterMap.questions();
        server(address).carry(new Exchange(questions, null));
        for (Call question : questions) {
            RuntimeException refused = question.failure();
            if (refused != null) {
                throw refused;
            }
        }
        return ClusterMap.read(questions, address);
    }

    /** Needs {@link #discovery}. */
    private void learn(ClusterMap told) {
        suspected = false;
        owners.learn(told, this::server);
        learnedNanos = clock.nanos();
        Set<Server> masters = owners.servers();
        told.masters().forEach(master -> masters.add(server(master.address())));
        servers.values().removeIf(server -> {
            boolean gone = !masters.contains(server);
            if (gone) {
                server.close();
            }
            return gone;
        });
    }
}
