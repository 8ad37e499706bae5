package dev.holdfast.redis.topology;

import dev.holdfast.redis.wire.BrokenExchange;
import dev.holdfast.redis.wire.Call;
import dev.holdfast.redis.wire.Deadline;
import dev.holdfast.redis.wire.Exchange;
import dev.holdfast.redis.wire.HostAndPort;
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
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * A Redis Cluster: a map from slots to servers, learned from its members and from their redirections. Thread-safe.
 */
public final class ClusterDeployment implements Deployment {
    private static final long SHORTEST_INTERVAL_NANOS = 50_000_000;

    /** What was learned longer ago is asked for anew before it is used, because a generation may be over by then. */
    private static final long LONGEST_TRUST_NANOS = 10_000_000_000L;

    /** Whoever knows where to ask waits this part of its time for a newer map. */
    private static final int DISCOVERY_SHARE = 4;

    private final Supplier<Collection<HostAndPort>> seeds;
    private final Function<HostAndPort, Server> factory;
    private final Duration patience;
    private final FirstAnswer<HostAndPort> members;
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
            Executor threads,
            Duration patience,
            MonotonicClock clock,
            RandomGenerator random) {
        this.seeds = seeds;
        this.factory = factory;
        this.patience = patience;
        this.members = new FirstAnswer<>(threads);
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
    public Route routeTo(byte[] key, Deadline deadline) {
        int slot = Slots.of(key);
        Route route = owners.routeTo(slot);
        boolean old = clock.nanos() - learnedNanos > LONGEST_TRUST_NANOS;
        if (route == null || suspected || old) {
            suspected = true;
            discover(route != null && !old, deadline);
            route = owners.routeTo(slot);
        }
        if (route == null) {
            throw BrokenExchange.beforeSending(
                    "no member of the cluster has slot " + slot, new IllegalStateException("the slot is not covered"));
        }
        return route;
    }

    @Override
    public List<Server> masters(Deadline deadline) {
        if (suspected) {
            discover(false, deadline);
        }
        return List.copyOf(owners.servers());
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
    public Server follow(Redirection redirection, Server asked, Deadline deadline) {
        HostAndPort told = redirection.target();
        // A member that does not know its own host leaves it empty.
        HostAndPort address = told.host().isEmpty()
                ? new HostAndPort(HostAndPort.of(asked.where()).host(), told.port())
                : told;
        if (!redirection.isThisOnce()) {
            moveTo(address, redirection.slot(), deadline);
        }
        return server(address);
    }

    /** Nobody knows better what a member has, and since when, than the member itself. */
    private void moveTo(HostAndPort address, int slot, Deadline deadline) {
        try {
            lockDiscovery(deadline);
        } catch (BrokenExchange busyToTheEnd) {
            // Whoever is asking learns it; this call has no time left.
            suspected = true;
            return;
        }
        try {
            Route known = owners.routeTo(slot);
            if (known == null || known.server() != servers.get(address)) {
                learn(ask(address, share(deadline)));
            }
        } catch (BrokenExchange | ServerRefusal silent) {
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
            discover(false, Deadline.in(clock, patience));
        } catch (BrokenExchange | ServerRefusal nobodyTells) {
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

    /** Learns the map anew, if it is suspected; does not wait long for that if there is something to go on with. */
    private void discover(boolean knowsSomething, Deadline deadline) {
        boolean locked = discovery.tryLock();
        if (!locked && knowsSomething) {
            return;
        }
        if (!locked) {
            lockDiscovery(deadline);
        }
        try {
            if (suspected && clock.nanos() - learnedNanos >= SHORTEST_INTERVAL_NANOS) {
                learn(askAnybody(knowsSomething ? share(deadline) : deadline));
            }
        } catch (BrokenExchange | ServerRefusal nobodyTells) {
            if (!knowsSomething) {
                throw nobodyTells;
            }
        } finally {
            discovery.unlock();
        }
    }

    private void lockDiscovery(Deadline deadline) {
        boolean locked = false;
        try {
            locked = discovery.tryLock(Math.max(0, deadline.leftNanos()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!locked) {
            throw BrokenExchange.beforeSending(
                    "the cluster is being asked already", new TimeoutException("no answer in time"));
        }
    }

    /** What is left is also for the call itself. */
    private static Deadline share(Deadline deadline) {
        return deadline.atMost(Duration.ofNanos(Math.max(1, deadline.leftNanos() / DISCOVERY_SHARE)));
    }

    private ClusterMap askAnybody(Deadline deadline) {
        Set<HostAndPort> known = new HashSet<>(servers.keySet());
        known.addAll(seeds.get());
        List<HostAndPort> inAnyOrder = new ArrayList<>(known);
        Collections.shuffle(inAnyOrder, new Random(random.nextLong()));
        return members.ask(inAnyOrder, address -> ask(address, deadline), deadline);
    }

    private ClusterMap ask(HostAndPort address, Deadline deadline) {
        List<Call> questions = ClusterMap.questions();
        server(address).carry(new Exchange(questions, null, deadline));
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
