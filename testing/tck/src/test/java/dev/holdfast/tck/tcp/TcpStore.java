package dev.holdfast.tck.tcp;

import dev.holdfast.LockOptions;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.ServerClock;
import dev.holdfast.spi.StoreContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ThreadLocalRandom;

/** A client of {@link TcpLockServer}: a pool of connections for requests and one for messages. Thread-safe. */
final class TcpStore implements LockStore {
    private static final Set<Promise> PROMISES =
            EnumSet.complementOf(EnumSet.of(Promise.SURVIVES_RESTART, Promise.DEATH_SEEN_AT_ONCE));
    private static final StoreTraits TRAITS = new StoreTraits(
            StoreTraits.Expiry.LEASE,
            PROMISES,
            LockOptions.SHORTEST_LEASE,
            Duration.ofDays(3650),
            "locks live and end with the server's process");

    private final InetSocketAddress server;
    private final StoreContext context;
    private final ServerClock serverClock;
    private final Subscriber subscriber;
    private final long clientId = ThreadLocalRandom.current().nextLong();
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    TcpStore(InetSocketAddress server, StoreContext context) {
        this.server = server;
        this.context = context;
        this.serverClock = new ServerClock(context.clock());
        this.subscriber = new Subscriber(server, clientId, context, serverClock);
    }

    @Override
    public StoreTraits traits() {
        return TRAITS;
    }

    @Override
    public AcquireOutcome tryAcquire(Claim claim) {
        return poll(List.of(claim)).get(0);
    }

    @Override
    public List<AcquireOutcome> poll(List<Claim> claims) {
        List<AcquireOutcome> outcomes = ask(
                Wire.Request.ACQUIRE,
                claims.isEmpty() ? "" : claims.get(0).describe(),
                out -> Wire.writeList(out, claims, Wire::writeClaim),
                in -> Wire.readList(in, Wire::readAcquired));
        for (int i = 0; i < outcomes.size(); i++) {
            subscriber.note(claims.get(i), outcomes.get(i));
        }
        return outcomes;
    }

    @Override
    public void withdraw(Claim claim, boolean mayStillArrive) {
        subscriber.forget(claim);
        ask(
                Wire.Request.WITHDRAW,
                claim.describe(),
                out -> {
                    Wire.writeClaim(out, claim);
                    out.writeBoolean(mayStillArrive);
                },
                in -> true);
    }

    @Override
    public List<RenewOutcome> renew(List<Grant> grants) {
        return ask(
                Wire.Request.RENEW,
                "held leases",
                out -> Wire.writeList(out, grants, Wire::writeGrant),
                in -> Wire.readList(in, Wire::readRenewed));
    }

    @Override
    public List<ReleaseOutcome> release(List<Grant> grants) {
        return ask(
                Wire.Request.RELEASE,
                "held leases",
                out -> Wire.writeList(out, grants, Wire::writeGrant),
                in -> Wire.readList(in, Wire::readReleased));
    }

    @Override
    public Optional<LockView> inspect(String name) {
        return ask(Wire.Request.INSPECT, name, out -> out.writeUTF(name), in -> Wire.readList(in, Wire::readView))
                .stream()
                .findFirst();
    }

    @Override
    public List<LockView> list(String prefix, int limit) {
        return ask(
                Wire.Request.LIST,
                prefix,
                out -> {
                    out.writeUTF(prefix);
                    out.writeInt(limit);
                },
                in -> Wire.readList(in, Wire::readView));
    }

    @Override
    public int evict(String name, OptionalLong epoch, String by, String reason) {
        return ask(
                Wire.Request.EVICT,
                name,
                out -> {
                    out.writeUTF(name);
                    out.writeBoolean(epoch.isPresent());
                    out.writeLong(epoch.orElse(0));
                    out.writeUTF(by);
                    out.writeUTF(reason);
                },
                in -> in.readInt());
    }

    @Override
    public void ping() {
        ask(Wire.Request.PING, "the server", out -> {}, in -> true);
    }

    @Override
    public void close() {
        closed = true;
        subscriber.close();
        closeIdle();
    }

    private <R> R ask(Wire.Request request, String lockName, Connection.Content content, Wire.Reader<R> reader) {
        long deadline = System.nanoTime() + context.commandTimeout().toNanos();
        Connection connection = null;
        try {
            subscriber.ensureOpen(deadline);
            connection = idle.poll();
            if (connection == null) {
                connection = Connection.open(server, clientId, true, deadline);
            }
            connection.limit(deadline);
            long sentNanos = context.clock().nanos();
            connection.send(request.ordinal(), content);
            long serverNanos = connection.in().readLong();
            R reply = reader.read(connection.in());
            serverClock.answered(sentNanos, serverNanos);
            keep(connection);
            return reply;
        } catch (IOException failed) {
            if (connection != null) {
                connection.close();
            }
            startOver(failed);
            throw new StoreUnavailableException(request.name(), lockName, failed);
        }
    }

    /** What broke one connection has probably broken the others, and not all of them would tell. */
    private void startOver(IOException failed) {
        closeIdle();
        if (failed instanceof SocketTimeoutException) {
            subscriber.startOver();
        }
    }

    private void keep(Connection connection) {
        idle.push(connection);
        if (closed && idle.remove(connection)) {
            connection.close();
        }
    }

    private void closeIdle() {
        for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.close();
        }
    }
}
