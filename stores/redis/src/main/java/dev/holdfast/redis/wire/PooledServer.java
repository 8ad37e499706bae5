package dev.holdfast.redis.wire;

import dev.holdfast.spi.MonotonicClock;
import java.time.Duration;
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

/**
 * A server with connections of our own.
 *
 * <p>A thread that finds a connection free makes its exchange on it. When all are busy, threads wait, and the next one
 * to get a connection takes what the others want to ask along with its own: many exchanges for the price of one round
 * trip, exactly when there are many. Whoever gives a connection back wakes the first of those that wait.
 *
 * <p>Connections that were idle when an answer did not come, or came from a replica, are of the same age and lead to the
 * same place, so they are not used again. One that nobody has used for long is asked for a sign of life first. Thread-safe.
 */
public final class PooledServer implements Server, OverdueWatch.Awaiting {
    private static final int MOST_TOGETHER = 64;

    /** Shorter than what firewalls and address translators are known to forget connections after. */
    private static final Duration LONG_IDLE = Duration.ofSeconds(30);

    /** A sign of life may take this part of the time that is left; the rest is for a new connection. */
    private static final int SIGN_OF_LIFE_SHARE = 4;

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
    private final Set<Opening> openings = ConcurrentHashMap.newKeySet();

    /** Connections of an earlier one are not used again. */
    private final AtomicInteger era = new AtomicInteger();

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
            boolean unused = lead(exchange, exchange.deadline());
        } else {
            waitFor(exchange);
        }
        exchange.throwIfFailed();
    }

    @Override
    public Listening listen() {
        SocketConnection connection = connect(Deadline.in(clock, settings.timeout()));
        String place = connection.place();
        return new SocketListening(connection, clocks.at(place), where(), () -> clocks.forget(place));
    }

    @Override
    public void forgetIdle() {
        for (CommandConnection each = idle.pollFirst(); each != null; each = idle.pollFirst()) {
            discard(each);
        }
    }

    /** Those in use are forgotten too, when they are given back. */
    private void forgetAll() {
        era.incrementAndGet();
        forgetIdle();
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
        openings.forEach(Opening::end);
    }

    @Override
    public boolean endOverdue(long nowNanos) {
        boolean awaited = !openings.isEmpty();
        openings.forEach(Opening::endIfOverdue);
        for (CommandConnection each : open) {
            awaited |= each.endIfOverdue(nowNanos);
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
        Deadline deadline = exchange.deadline();
        boolean interrupted = false;
        waiting.add(exchange);
        while (!exchange.isOver()) {
            long left = deadline.leftNanos();
            if (left <= 0) {
                giveUp(exchange);
            } else if (!takePermit() || !lead(null, deadline)) {
                // Nobody else waits: another thread carries the exchange, and wakes this one when it is over.
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void giveUp(Exchange exchange) {
        if (waiting.remove(exchange)) {
            wakeFirst();
            exchange.end(BrokenExchange.beforeSending(
                    "all " + settings.maxConnections() + " connections were busy",
                    new TimeoutException("no connection became free")));
        } else if (!exchange.abandon(BrokenExchange.afterSending(
                where() + " did not answer in time", false, new TimeoutException("no answer in time")))) {
            // Whoever carries it is about to say so.
            LockSupport.parkNanos(this, settings.timeoutNanos());
        }
    }

    /** Makes an exchange, if one is given, together with those that wait; false if there is none. Needs a permit, and gives it back. */
    private boolean lead(@Nullable Exchange own, Deadline deadline) {
        List<Exchange> together = gather(own);
        if (together.isEmpty()) {
            givePermit();
            return false;
        }
        RuntimeException failure = null;
        CommandConnection connection = null;
        try {
            connection = borrow(deadline);
            connection.carry(together, latest(together, deadline), clock.nanos(), watch);
        } catch (RuntimeException broken) {
            failure = broken;
        } catch (Error fatal) {
            failure = BrokenExchange.afterSending("the exchange with " + where() + " failed", false, fatal);
            throw fatal;
        } finally {
            giveBack(connection, together);
            givePermit();
            for (Exchange exchange : together) {
                exchange.end(failure);
            }
        }
        return true;
    }

    /** Those that are taken along may have a little more time, but not at the cost of the one that leads. */
    private long latest(List<Exchange> together, Deadline own) {
        long most = own.nanos() + settings.lookInterval().toNanos();
        long latest = own.nanos();
        for (Exchange exchange : together) {
            long until = exchange.deadline().nanos();
            latest = until - latest > 0 ? until : latest;
        }
        return latest - most > 0 ? most : latest;
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

    private CommandConnection borrow(Deadline deadline) {
        ensureOpen();
        CommandConnection connection = idle.pollFirst();
        if (connection == null) {
            return open(deadline);
        }
        if (connection.isIdleSince(clock.nanos() - LONG_IDLE.toNanos()) && !livesStill(connection, deadline)) {
            discard(connection);
            forgetIdle();
            return open(deadline);
        }
        return connection;
    }

    private void ensureOpen() {
        if (closed) {
            throw BrokenExchange.beforeSending("the store is closed", new IllegalStateException("the store is closed"));
        }
    }

    private boolean livesStill(CommandConnection connection, Deadline deadline) {
        Deadline soon = deadline.atMost(Duration.ofNanos(Math.max(1, deadline.leftNanos() / SIGN_OF_LIFE_SHARE)));
        Exchange sign = new Exchange(List.of(Call.of(Command.PING)), null, soon);
        try {
            connection.carry(List.of(sign), soon.nanos(), clock.nanos(), watch);
            return !connection.isBroken();
        } catch (BrokenExchange dead) {
            return false;
        }
    }

    private CommandConnection open(Deadline deadline) {
        int begun = era.get();
        SocketConnection connection = connect(deadline);
        // The watch ends what takes too long: cheaper than a timed read, which polls before every answer.
        connection.setReadTimeout(0);
        String place = connection.place();
        CommandConnection opened =
                new CommandConnection(new ServerConnection(connection, place, clocks.at(place)), where(), begun);
        open.add(opened);
        return opened;
    }

    private SocketConnection connect(Deadline deadline) {
        Opening opening = new Opening(deadline);
        openings.add(opening);
        watch.note();
        try {
            ensureOpen();
            return admitted(settings.connect(address, deadline, opening));
        } catch (BrokenConnection unreachable) {
            throw BrokenExchange.beforeSending(where() + " cannot be reached", unreachable);
        } finally {
            openings.remove(opening);
        }
    }

    private SocketConnection admitted(SocketConnection connection) {
        if (guard != null) {
            try {
                guard.admit(connection);
            } catch (RuntimeException refused) {
                connection.cut();
                throw refused;
            }
        }
        return connection;
    }

    private void giveBack(@Nullable CommandConnection connection, List<Exchange> carried) {
        if (connection == null) {
            return;
        }
        if (connection.era() == era.get() && (connection.isOverdue() || metReplica(carried))) {
            forgetAll();
        }
        if (connection.isBroken() || closed || connection.era() != era.get()) {
            clocks.forget(connection.place());
            discard(connection);
        } else {
            idle.offerFirst(connection);
            if (closed) {
                forgetIdle();
            }
        }
    }

    private static boolean metReplica(List<Exchange> carried) {
        for (Exchange exchange : carried) {
            if (exchange.metReplica()) {
                return true;
            }
        }
        return false;
    }

    private void discard(CommandConnection connection) {
        open.remove(connection);
        connection.cut();
    }
}
