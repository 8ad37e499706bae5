package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.Keys;
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
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisRedirectionException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * A Redis Cluster: a map from slots to servers, learned from its members and from their redirections. Thread-safe.
 */
public final class ClusterDeployment implements Deployment {
    private static final int SLOTS = 16_384;
    private static final long SHORTEST_INTERVAL_NANOS = 50_000_000;
    private static final byte[] SLOT_MAP = Keys.bytes("SLOTS");

    private final Supplier<Collection<HostAndPort>> seeds;
    private final Function<HostAndPort, Server> factory;
    private final long patienceNanos;
    private final MonotonicClock clock;
    private final RandomGenerator random;
    private final Map<HostAndPort, Server> servers = new ConcurrentHashMap<>();
    private final AtomicReferenceArray<@Nullable Server> bySlot = new AtomicReferenceArray<>(SLOTS);
    private final ReentrantLock discovery = new ReentrantLock();
    private volatile boolean suspected = true;

    /** When the map was learned last; guarded by {@link #discovery}. */
    private long learnedNanos = -SHORTEST_INTERVAL_NANOS;

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
    public Server serverFor(byte[] key) {
        int slot = JedisClusterCRC16.getSlot(key);
        Server server = bySlot.get(slot);
        if (server == null || suspected) {
            discover(server != null);
            server = bySlot.get(slot);
        }
        if (server == null) {
            throw BrokenExchange.beforeSending(
                    "no member of the cluster has slot " + slot, new IllegalStateException("the slot is not covered"));
        }
        return server;
    }

    @Override
    public List<Server> masters() {
        if (suspected) {
            discover(false);
        }
        Set<Server> masters = new HashSet<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            Server server = bySlot.get(slot);
            if (server != null) {
                masters.add(server);
            }
        }
        return List.copyOf(masters);
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
        Server target = server(redirection.getTargetNode());
        if (!(redirection instanceof JedisAskDataException)) {
            bySlot.set(redirection.getSlot(), target);
            suspected = true;
        }
        return target;
    }

    @Override
    public void suspect(Server server) {
        suspected = true;
    }

    @Override
    public void beat() {
        // Members of a minority stop answering by themselves, and redirections tell the rest.
    }

    @Override
    public String failover() {
        return "Cluster: a failover of a slot loses what the new master had not received, so a lock may be granted"
                + " while its holder still counts on it, until the holder's next renewal; tokens still grow, as long as"
                + " the new master's clock is not behind the old one's by more than the failover took; several names"
                + " are taken one after another";
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
        try {
            locked = locked || discovery.tryLock(patienceNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!locked) {
            throw BrokenExchange.beforeSending(
                    "the cluster is being asked already", new TimeoutException("no answer in time"));
        }
        try {
            long now = clock.nanos();
            if (suspected && now - learnedNanos >= SHORTEST_INTERVAL_NANOS) {
                Told told = askAnybody();
                suspected = false;
                learn(told);
                learnedNanos = now;
            }
        } finally {
            discovery.unlock();
        }
    }

    /** A slot map, with the address of the member that told it. */
    private record Told(HostAndPort by, List<?> ranges) {}

    private Told askAnybody() {
        Set<HostAndPort> known = new HashSet<>(servers.keySet());
        known.addAll(seeds.get());
        List<HostAndPort> inAnyOrder = new ArrayList<>(known);
        Collections.shuffle(inAnyOrder, new java.util.Random(random.nextLong()));
        RuntimeException last = null;
        for (HostAndPort address : inAnyOrder) {
            Call call = Call.of(Command.CLUSTER, SLOT_MAP);
            try {
                server(address).carry(new Exchange(List.of(call), null));
                if (call.failure() == null) {
                    return new Told(address, Answers.list(call.answer()));
                }
                last = call.failure();
            } catch (BrokenExchange | JedisException silent) {
                last = silent;
            }
        }
        throw last != null ? last : new IllegalStateException("the cluster has no members");
    }

    private void learn(Told told) {
        Set<Server> masters = new HashSet<>();
        Set<Integer> covered = new HashSet<>();
        for (Object each : told.ranges) {
            List<?> range = Answers.list(each);
            Server server = server(address(Answers.list(range.get(2)), told.by));
            masters.add(server);
            for (int slot = (int) Answers.number(range.get(0)); slot <= Answers.number(range.get(1)); slot++) {
                bySlot.set(slot, server);
                covered.add(slot);
            }
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            if (!covered.contains(slot)) {
                bySlot.set(slot, null);
            }
        }
        servers.values().removeIf(server -> {
            boolean gone = !masters.contains(server);
            if (gone) {
                server.close();
            }
            return gone;
        });
    }

    /** A member that does not know its own host leaves it empty: then it is the one that was asked. */
    private static HostAndPort address(List<?> node, HostAndPort asked) {
        String host = node.get(0) == null ? "" : Answers.text(node.get(0));
        return new HostAndPort(
                host.isEmpty() || host.equals("?") ? asked.getHost() : host, (int) Answers.number(node.get(1)));
    }
}
