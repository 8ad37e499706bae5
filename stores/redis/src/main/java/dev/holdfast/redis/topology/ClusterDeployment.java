package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.Answers;
import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Command;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.HostAndPort;
import dev.holdfast.redis.wire.Keys;
import dev.holdfast.redis.wire.Redirection;
import dev.holdfast.redis.wire.Server;
import dev.holdfast.redis.wire.ServerRefusal;
import dev.holdfast.redis.wire.Slots;
import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster: a map from slots to servers, learned from its members and from their redirections. Thread-safe.
 */
public final class ClusterDeployment implements Deployment {
    private static final int SLOTS = Slots.COUNT;

    /** Who knows where to ask waits this part of its time for a newer map. */
    private static final int DISCOVERY_SHARE = 4;

    private static final long SHORTEST_INTERVAL_NANOS = 50_000_000;
    private static final byte[] SLOT_MAP = Keys.bytes("SLOTS");

    private final Supplier<Collection<HostAndPort>> seeds;
    private final Function<HostAndPort, Server> factory;
    private final MonotonicClock clock;
    private final RandomGenerator random;
    private final FirstAnswer<HostAndPort> members;
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
            Executor threads,
            MonotonicClock clock,
            RandomGenerator random) {
        this.seeds = seeds;
        this.factory = factory;
        this.members = new FirstAnswer<>(threads);
        this.clock = clock;
        this.random = random;
    }

    @Override
    public boolean isCluster() {
        return true;
    }

    @Override
    public Server serverFor(byte[] key, Deadline deadline) {
        int slot = Slots.of(key);
        Server server = bySlot.get(slot);
        if (server == null || suspected) {
            discover(server != null, deadline);
            server = bySlot.get(slot);
        }
        if (server == null) {
            throw BrokenExchange.beforeSending(
                    "no member of the cluster has slot " + slot, new IllegalStateException("the slot is not covered"));
        }
        return server;
    }

    @Override
    public List<Server> masters(Deadline deadline) {
        if (suspected) {
            discover(false, deadline);
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
    public Server listeningPost(Deadline deadline) {
        List<Server> masters = masters(deadline);
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
    public Server follow(Redirection redirection, Server asked) {
        HostAndPort told = redirection.target();
        Server target = server(told.host().isEmpty() ? new HostAndPort(hostOf(asked), told.port()) : told);
        if (!redirection.isThisOnce()) {
            bySlot.set(redirection.slot(), target);
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

    private static String hostOf(Server server) {
        return HostAndPort.of(server.where()).host();
    }

    private Server server(HostAndPort address) {
        Server server = servers.computeIfAbsent(address, factory);
        if (closed) {
            server.close();
        }
        return server;
    }

    /** Learns the map anew, if it is suspected; does not wait long for that if there is something to go on with. */
    private void discover(boolean knowsSomething, Deadline deadline) {
        Deadline patience = knowsSomething
                ? deadline.atMost(Duration.ofNanos(Math.max(1, deadline.leftNanos() / DISCOVERY_SHARE)))
                : deadline;
        if (!lock(knowsSomething, patience)) {
            return;
        }
        try {
            long now = clock.nanos();
            if (suspected && now - learnedNanos >= SHORTEST_INTERVAL_NANOS) {
                learnedNanos = now;
                Told told = askAnybody(patience);
                suspected = false;
                learn(told);
            }
        } catch (BrokenExchange | ServerRefusal nobodyTells) {
            if (!knowsSomething) {
                throw nobodyTells;
            }
        } finally {
            discovery.unlock();
        }
    }

    /** False if somebody else is discovering and there is something to go on with. */
    private boolean lock(boolean knowsSomething, Deadline patience) {
        boolean locked = discovery.tryLock();
        if (!locked && knowsSomething) {
            return false;
        }
        try {
            locked = locked || discovery.tryLock(Math.max(0, patience.leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!locked) {
            throw BrokenExchange.beforeSending(
                    "the cluster is being asked already", new TimeoutException("no answer in time"));
        }
        return true;
    }

    /** A slot map, with the address of the member that told it. */
    private record Told(HostAndPort by, List<?> ranges) {}

    private Told askAnybody(Deadline deadline) {
        Set<HostAndPort> known = new HashSet<>(servers.keySet());
        known.addAll(seeds.get());
        List<HostAndPort> inAnyOrder = new ArrayList<>(known);
        Collections.shuffle(inAnyOrder, new Random(random.nextLong()));
        return members.ask(inAnyOrder, address -> ask(address, deadline), deadline);
    }

    private Told ask(HostAndPort address, Deadline deadline) {
        Call call = Call.of(Command.CLUSTER, SLOT_MAP);
        server(address).carry(new Exchange(List.of(call), null, deadline));
        RuntimeException refused = call.failure();
        if (refused != null) {
            throw refused;
        }
        return new Told(address, Answers.list(call.answer()));
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
                host.isEmpty() || host.equals("?") ? asked.host() : host, (int) Answers.number(node.get(1)));
    }
}
