package dev.holdfast.rig.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** One client's connection and its continuation to the server, with a thread for each direction. Thread-safe. */
final class Connection {
    private static final int MOST_BYTES_AT_ONCE = 64 << 10;

    private final Socket client;
    private final Socket server;
    private final Faults faults;
    private final List<Thread> pumps;
    private final AtomicInteger directionsLeft = new AtomicInteger(2);
    private volatile boolean open = true;

    /** Whether the next bytes to the client are to be lost, and the connection with them. */
    private volatile boolean replyDoomed;

    /** Whether nothing passes any more, although neither side was told. */
    private volatile boolean abandoned;

    Connection(Socket client, Socket server, Faults faults, LongAdder toServer, LongAdder toClient) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.pumps = List.of(
                pump(Direction.TO_SERVER, client, server, toServer),
                pump(Direction.TO_CLIENT, server, client, toClient));
    }

    void start() {
        pumps.forEach(Thread::start);
    }

    boolean isOpen() {
        return open;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /** Lets nothing pass from now on, without telling either side. */
    void abandon() {
        abandoned = true;
    }

    /** Ends both sides in the ordinary way; bytes on their way are lost. */
    void cut() {
        open = false;
        quietly(client);
        quietly(server);
        faults.stir();
    }

    /** Ends both sides with a reset. */
    void reset() {
        try {
            client.setSoLinger(true, 0);
            server.setSoLinger(true, 0);
        } catch (IOException closedAlready) {
            // Then there is nobody left to be reset on that side.
        }
        cut();
    }

    /** Whether both threads have ended. */
    boolean isOver() {
        return pumps.stream().noneMatch(Thread::isAlive);
    }

    void awaitEnd(Duration patience) throws InterruptedException {
        for (Thread pump : pumps) {
            TimeUnit.NANOSECONDS.timedJoin(pump, patience.toNanos());
            if (pump.isAlive()) {
                throw new IllegalStateException(pump.getName() + " does not end");
            }
        }
    }

    private Thread pump(Direction direction, Socket from, Socket to, LongAdder count) {
        Thread pump =
                new Thread(() -> run(direction, from, to, count), "rig-proxy-" + from.getPort() + "-" + direction);
        pump.setDaemon(true);
        return pump;
    }

    private void run(Direction direction, Socket from, Socket to, LongAdder count) {
        byte[] buffer = new byte[MOST_BYTES_AT_ONCE];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!admit(direction, new String(buffer, 0, read, StandardCharsets.ISO_8859_1))) {
                    return;
                }
                faults.pass(direction, this);
                out.write(buffer, 0, read);
                count.add(read);
            }
            faults.pass(direction, this);
            to.shutdownOutput();
        } catch (IOException ended) {
            cut();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            cut();
        } finally {
            if (directionsLeft.decrementAndGet() == 0) {
                cut();
            }
        }
    }

    /** Returns whether the message may go on. */
    private boolean admit(Direction direction, String message) throws InterruptedException {
        if (direction == Direction.TO_CLIENT && replyDoomed) {
            // Counted first: whoever notices the cut may ask for the count at once.
            faults.count();
            cut();
            return false;
        }
        Trap.Effect effect = faults.catching(direction, message).orElse(null);
        if (effect == null) {
            return true;
        }
        return switch (effect) {
            case HOLD -> {
                faults.count();
                faults.hold(this);
                yield isOpen();
            }
            case RESET -> {
                faults.count();
                reset();
                yield false;
            }
            case DROP_REPLY -> {
                replyDoomed = true;
                yield true;
            }
        };
    }

    private static void quietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException closedAlready) {
            // It is closed, and that is all that was wanted.
        }
    }
}
