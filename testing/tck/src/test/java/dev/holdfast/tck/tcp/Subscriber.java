package dev.holdfast.tck.tcp;

import dev.holdfast.LossReason;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection on which the server tells a client something unasked. It is opened before the first request, and again
 * as soon as possible after it broke; then claims in line are asked for again, because their messages may be lost.
 * Thread-safe.
 */
final class Subscriber {
    private static final Duration BEFORE_NEXT_TRY = Duration.ofMillis(100);

    private final InetSocketAddress server;
    private final long clientId;
    private final StoreContext context;
    private final ServerClock serverClock;
    private final Map<OwnerId, String> inLine = new ConcurrentHashMap<>();
    private final ReentrantLock opening = new ReentrantLock();
    private volatile Connection current;
    private volatile boolean closed;

    Subscriber(InetSocketAddress server, long clientId, StoreContext context, ServerClock serverClock) {
        this.server = server;
        this.clientId = clientId;
        this.context = context;
        this.serverClock = serverClock;
    }

    /** Returns when messages can come; whoever finds the connection being opened waits within its own time. */
    void ensureOpen(long deadlineNanos) throws IOException {
        if (current != null) {
            return;
        }
        try {
            if (!opening.tryLock(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new SocketTimeoutException("the connection for messages is still being opened");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
        try {
            if (current == null) {
                open(deadlineNanos);
            }
        } finally {
            opening.unlock();
        }
    }

    private void open(long deadlineNanos) throws IOException {
        if (closed) {
            throw new IOException("the store is closed");
        }
        Connection opened = Connection.open(server, clientId, false, deadlineNanos);
        try {
            opened.in().readByte();
        } catch (IOException unanswered) {
            opened.close();
            throw unanswered;
        }
        opened.waitForEver();
        current = opened;
        if (closed) {
            opened.close();
        }
        Thread thread = new Thread(() -> hear(opened), "holdfast-tcktest-" + context.clientName());
        thread.setDaemon(true);
        thread.start();
    }

    /** Remembers claims in line, to be asked for again when messages may have been lost. */
    void note(Claim claim, AcquireOutcome outcome) {
        if (outcome instanceof AcquireOutcome.Contended && claim.queue()) {
            inLine.put(claim.owner(), claim.parts().get(0).name());
        } else {
            inLine.remove(claim.owner());
        }
    }

    void forget(Claim claim) {
        inLine.remove(claim.owner());
    }

    /** The connection may be dead without having told: opens another one. */
    void startOver() {
        Connection suspect = current;
        if (suspect != null) {
            suspect.close();
        }
    }

    void close() {
        closed = true;
        startOver();
    }

    private void hear(Connection connection) {
        try {
            while (true) {
                pass(Wire.Message.values()[connection.in().readByte()], connection);
            }
        } catch (IOException ended) {
            connection.close();
            current = null;
            openLater();
        }
    }

    private void openLater() {
        if (!closed) {
            context.scheduler().schedule(BEFORE_NEXT_TRY, this::openAgain);
        }
    }

    private void openAgain() {
        try {
            ensureOpen(System.nanoTime() + context.commandTimeout().toNanos());
            inLine.forEach((owner, name) -> context.listener().retry(name, owner));
        } catch (IOException notYet) {
            openLater();
        }
    }

    private void pass(Wire.Message kind, Connection connection) throws IOException {
        StoreListener listener = context.listener();
        long serverNanos = connection.in().readLong();
        switch (kind) {
            case GRANTED ->
                listener.granted(
                        Wire.readList(connection.in(), Wire::readGrant), serverClock.notLaterThan(serverNanos));
            case WANTED ->
                listener.wanted(connection.in().readUTF(), connection.in().readLong());
            case LOST -> {
                String name = connection.in().readUTF();
                OwnerId owner = Wire.readOwner(connection.in());
                long epoch = connection.in().readLong();
                listener.lost(
                        name, owner, epoch, LossReason.values()[connection.in().readByte()]);
            }
        }
    }
}
