package dev.holdfast.rig.proxy;

import dev.holdfast.rig.PortReservation;
import dev.holdfast.rig.Rig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A network between clients and one server of this machine that goes wrong on demand. Standing faults ({@link #delay},
 * {@link #blackHole}, {@link #refuse}) last until {@link #heal}; {@link #cut}, {@link #reset} and {@link #abandon} happen
 * at once; the others happen to the next few messages, which a test can choose by their text where the connection is not
 * encrypted. Messages are what arrives together, decoded as ISO 8859-1. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
    private static final Duration TIME_TO_END = Duration.ofSeconds(10);
    private static final int CONNECT_MILLIS = 5_000;
    private static final int BACKLOG = 512;

    private final PortReservation reservation = PortReservation.take();
    private final int serverPort;
    private final Faults faults = new Faults();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder toServer = new LongAdder();
    private final LongAdder toClient = new LongAdder();

    /** Null while connections are refused; guarded by this object, like the next. */
    private @Nullable ServerSocket listener;

    private @Nullable Thread acceptor;

    private FaultProxy(int serverPort) {
        this.serverPort = serverPort;
    }

    /**
     * Starts a proxy that does nothing wrong yet.
     *
     * @param rig with which it is closed
     * @param serverPort the server's port on 127.0.0.1; the server may come and go
     * @return the proxy
     */
    public static FaultProxy before(Rig rig, int serverPort) {
        FaultProxy proxy = rig.keep(new FaultProxy(serverPort));
        proxy.listen();
        return proxy;
    }

    /** {@return the port on 127.0.0.1 where clients find it} */
    public int port() {
        return reservation.port();
    }

    /**
     * Keeps everything back for a while. Bytes that come while others wait are counted from when those have gone.
     *
     * @param time for each direction
     */
    public void delay(Duration time) {
        delay(Direction.TO_SERVER, time);
        delay(Direction.TO_CLIENT, time);
    }

    /**
     * Keeps one direction back for a while.
     *
     * @param direction which
     * @param time for how long
     */
    public void delay(Direction direction, Duration time) {
        faults.delay(direction, time);
    }

    /**
     * Lets nothing through, without telling anybody. As TCP would, it delivers on {@link #heal} what was sent meanwhile,
     * unless the connection is cut first. New connections are accepted, as by a server that hangs.
     *
     * @param directions one or both
     */
    public void blackHole(Direction... directions) {
        List.of(directions).forEach(faults::hole);
    }

    /**
     * Refuses new connections; those that are open stay.
     *
     * @throws InterruptedException if interrupted
     */
    public synchronized void refuse() throws InterruptedException {
        ServerSocket current = listener;
        Thread thread = acceptor;
        if (current == null || thread == null) {
            return;
        }
        listener = null;
        close(current);
        // The kernel goes on accepting for a thread that is in the middle of it.
        TimeUnit.NANOSECONDS.timedJoin(thread, TIME_TO_END.toNanos());
    }

    /** Ends every fault. What was held is delivered; traps that have not caught anything yet are gone. */
    public void heal() {
        faults.heal();
        listen();
    }

    /** Closes every connection in the ordinary way. What was on its way is lost. */
    public void cut() {
        connections.forEach(Connection::cut);
    }

    /** Closes every connection with a reset. What was on its way is lost. */
    public void reset() {
        connections.forEach(Connection::reset);
    }

    /**
     * Lets nothing pass any more on the connections that are open now, without telling either side: as a firewall does
     * that forgets idle connections. {@link #heal} does not bring them back. New connections work.
     */
    public void abandon() {
        connections.forEach(Connection::abandon);
    }

    /**
     * Forwards the next few requests, swallows what the server answers, and cuts their connections: the server has done
     * it, and the client cannot know.
     *
     * @param times how many
     * @param matching which requests
     */
    public void dropReplies(int times, Predicate<String> matching) {
        faults.set(new Trap(Direction.TO_SERVER, times, matching, Trap.Effect.DROP_REPLY));
    }

    /**
     * Loses the next few messages and resets their connections.
     *
     * @param direction of the messages
     * @param times how many
     * @param matching which
     */
    public void resetOn(Direction direction, int times, Predicate<String> matching) {
        faults.set(new Trap(direction, times, matching, Trap.Effect.RESET));
    }

    /**
     * Holds the next few messages, and everything behind them on their connections, until {@link #heal}; other
     * connections go on.
     *
     * @param direction of the messages
     * @param times how many
     * @param matching which
     */
    public void hold(Direction direction, int times, Predicate<String> matching) {
        faults.set(new Trap(direction, times, matching, Trap.Effect.HOLD));
    }

    /** {@return how many messages were held, reset, or robbed of their reply so far} */
    public int caught() {
        return faults.caught();
    }

    /** {@return how many connections there have been} */
    public long accepted() {
        return accepted.sum();
    }

    /** {@return how many connections are open} */
    public int open() {
        return (int) connections.stream().filter(Connection::isOpen).count();
    }

    /**
     * Counts the bytes that were delivered.
     *
     * @param direction to whom
     * @return how many
     */
    public long bytes(Direction direction) {
        return (direction == Direction.TO_SERVER ? toServer : toClient).sum();
    }

    /** Cuts every connection and ends every thread. */
    @Override
    public void close() {
        try {
            refuse();
            reset();
            for (Connection connection : connections) {
                connection.awaitEnd(TIME_TO_END);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            reservation.close();
        }
    }

    private synchronized void listen() {
        if (listener != null) {
            return;
        }
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port()), BACKLOG);
            Thread thread = new Thread(() -> accept(socket), "rig-proxy-" + port() + "-acceptor");
            thread.setDaemon(true);
            thread.start();
            listener = socket;
            acceptor = thread;
        } catch (IOException failed) {
            throw new UncheckedIOException("the proxy cannot listen on port " + port(), failed);
        }
    }

    private void accept(ServerSocket socket) {
        while (true) {
            try {
                Socket client = socket.accept();
                accepted.increment();
                join(client);
            } catch (IOException closed) {
                return;
            }
        }
    }

    /** A client whose server cannot be reached is reset, as a proxy cannot refuse what it has accepted. */
    private void join(Socket client) throws IOException {
        Socket server = new Socket();
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(new InetSocketAddress("127.0.0.1", serverPort), CONNECT_MILLIS);
        } catch (IOException unreachable) {
            server.close();
            client.setSoLinger(true, 0);
            client.close();
            return;
        }
        Connection connection = new Connection(client, server, faults, toServer, toClient);
        connections.removeIf(Connection::isOver);
        connections.add(connection);
        connection.start();
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
