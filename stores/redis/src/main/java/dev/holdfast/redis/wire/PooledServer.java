package dev.holdfast.redis.wire;

import dev.holdfast.spi.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A server with connections of our own.
 *
 * <p>A thread that finds a connection free makes its exchange on it. When all are busy, threads wait, and the next one
 * to get a connection takes what the others want to ask along with its own: many exchanges for the price of one round
 * trip, exactly when there are many. Whoever gives a connection back wakes the first of those that wait. Thread-safe.
 */
public final class PooledServer implements Server {
    private static final int MOST_TOGETHER = 64;

    private final HostAndPort address;
    private final ConnectionSettings settings;
    private final MonotonicClock clock;

    private final Clocks clocks;
    private final OverdueWatch watch;
    private final @Nullable PromotionGuard guard;

    /** How many more threads may use a connection now. */
    private final AtomicInteger free;

    private final ConcurrentLinkedDeque<CommandConnection> idle = new ConcurrentLinkedDeque<>();
    private final ConcurrentLinkedQueue<Exchange> waiting = new ConcurrentLinkedQueue<>();
    private final Set<CommandConnection> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    public PooledServer(
            HostAndPort address, ConnectionSettings settings, MonotonicClock clock, Clocks clocks, OverdueWatch watch) {
        this(address, settings, clock, clocks, watch, null);
    }

    /** The same, with somebody who looks at every new connection. */
    public PooledServer(
            HostAndPort address,
            ConnectionSettings settings,
            MonotonicClock clock,
            Clocks clocks,
            OverdueWatch watch,
            @Nullable PromotionGuard guard) {
        this.guard = guard;
        this.address = address;
        this.settings = settings;
        this.clock = clock;
        this.clocks = clocks;
        this.watch = watch;
        this.free = new AtomicInteger(settings.maxConnections());
        watch.add(this);
    }

    @Override
    public void carry(Exchange exchange) {
        if (takePermit()) {
            lead(exchange);
        } else {
            waitFor(exchange);
        }
        exchange.throwIfFailed();
    }

    @Override
    public ServerConnection listen() {
        return connect();
    }

    @Override
    public void hangUp(ServerConnection line) {
        clocks.forget(line.place());
        line.cut();
    }

    @Override
    public void forgetIdle() {
        for (CommandConnection wire = idle.pollFirst(); wire != null; wire = idle.pollFirst()) {
            discard(wire);
        }
    }

    @Override
    public String where() {
        return address.toString();
    }

    @Override
    public void close() {
        closed = true;
        watch.remove(this);
        forgetIdle();
        open.forEach(CommandConnection::cut);
    }

    /** Cuts connections whose answer is overdue; tells whether any answer is awaited. */
    boolean endOverdue(long nowNanos) {
        boolean awaited = false;
        for (CommandConnection wire : open) {
            awaited |= wire.endIfOverdue(nowNanos, settings.overdueNanos());
        }
        return awaited;
    }

    private boolean takePermit() {
        for (int left = free.get(); left > 0; left = free.get()) {
            if (free.compareAndSet(left, left - 1)) {
                return true;
            }
        }
        return false;
    }

    private void givePermit() {
        free.incrementAndGet();
        wakeFirst();
    }

    private void wakeFirst() {
        Exchange first = waiting.peek();
        if (first != null) {
            first.wake();
        }
    }

    /** Waits until another thread has carried the exchange, or until it is our turn to lead. */
    private void waitFor(Exchange exchange) {
        long until = clock.nanos() + settings.timeoutNanos();
        boolean interrupted = false;
        waiting.add(exchange);
        while (!exchange.isOver()) {
            if (takePermit()) {
                lead(null);
                continue;
            }
            long left = until - clock.nanos();
            if (left <= 0 && waiting.remove(exchange)) {
                wakeFirst();
                exchange.end(BrokenExchange.beforeSending(
                        "all " + settings.maxConnections() + " connections were busy",
                        new TimeoutException("no connection became free")));
            } else {
                LockSupport.parkNanos(this, left <= 0 ? settings.timeoutNanos() : left);
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes an exchange, if one is given, together with those that wait. Needs a permit, and gives it back. */
    private void lead(@Nullable Exchange own) {
        List<Exchange> together = gather(own);
        if (together.isEmpty()) {
            givePermit();
            return;
        }
        RuntimeException failure = null;
        CommandConnection wire = null;
        try {
            wire = borrow();
            wire.carry(together, clock.nanos(), watch);
        } catch (RuntimeException broken) {
            failure = broken;
        } catch (Error fatal) {
            failure = BrokenExchange.afterSending("the exchange with " + where() + " failed", false, fatal);
            throw fatal;
        } finally {
            giveBack(wire);
            givePermit();
            for (Exchange exchange : together) {
                exchange.end(failure);
            }
        }
    }

    private List<Exchange> gather(@Nullable Exchange own) {
        if (own != null && (waiting.isEmpty() || !own.isSmall())) {
            return List.of(own);
        }
        List<Exchange> together = new ArrayList<>();
        if (own != null) {
            together.add(own);
        }
        while (together.size() < MOST_TOGETHER) {
            Exchange next = waiting.poll();
            if (next == null) {
                break;
            }
            together.add(next);
            if (!next.isSmall()) {
                break;
            }
        }
        return together;
    }

    private CommandConnection borrow() {
        if (closed) {
            throw BrokenExchange.beforeSending("the store is closed", new IllegalStateException("the store is closed"));
        }
        CommandConnection wire = idle.pollFirst();
        return wire == null ? open() : wire;
    }

    private CommandConnection open() {
        ServerConnection line = connect();
        if (!settings.keepsSocketTimeout()) {
            // The watch ends what takes too long: cheaper than a timed read, which polls before every answer.
            line.connection().setSoTimeout(0);
        }
        CommandConnection wire = new CommandConnection(line, where());
        open.add(wire);
        return wire;
    }

    /**
     * Connects for somebody who asks in one step and reads the answer in another.
     *
     * @param unknown scripts that the server is known not to know; it is added to, and taken from
     */
    public NodeConnection dial(Set<Script> unknown) {
        Connector dialler = settings.dialler(address);
        ServerConnection line = connect(dialler);
        return new NodeConnection(line, dialler.opened(), where(), unknown);
    }

    private ServerConnection connect() {
        return connect(settings.dialler(address));
    }

    private ServerConnection connect(Connector dialler) {
        try {
            Connection connection = settings.connect(dialler);
            admit(connection);
            String place = dialler.reached().getHostAddress() + ":" + address.getPort();
            return new ServerConnection(connection, place, clocks.at(place));
        } catch (JedisConnectionException unreachable) {
            throw BrokenExchange.beforeSending(where() + " cannot be reached", unreachable);
        }
    }

    private void admit(Connection connection) {
        if (guard != null) {
            try {
                guard.admit(connection);
            } catch (RuntimeException refused) {
                connection.close();
                throw refused;
            }
        }
    }

    private void giveBack(@Nullable CommandConnection wire) {
        if (wire == null) {
            return;
        }
        if (wire.isBroken() || closed) {
            clocks.forget(wire.line().place());
            discard(wire);
        } else {
            idle.offerFirst(wire);
            if (closed) {
                forgetIdle();
            }
        }
    }

    private void discard(CommandConnection wire) {
        open.remove(wire);
        wire.cut();
    }
}
