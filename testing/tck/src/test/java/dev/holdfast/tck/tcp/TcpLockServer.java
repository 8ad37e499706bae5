package dev.holdfast.tck.tcp;

import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.store.table.LockTable;
import dev.holdfast.store.table.Notices;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A lock server for tests: one lock table behind a loopback socket, a thread per connection. It takes the port that it is
 * given, or any free one, prints it, and ends with its standard input, so that it never outlives who started it.
 *
 * <p>A connection begins with the client's id and whether it is for requests or for messages. A reply begins with the
 * server's time, and so does a message.
 */
public final class TcpLockServer {
    private static final long EPOCH_ORIGIN_MILLIS = 1_735_689_600_000L;
    private static final byte[] THE_END = {};

    private final long originNanos = System.nanoTime();
    private final Map<Long, BlockingQueue<byte[]>> outboxes = new ConcurrentHashMap<>();

    /** Guarded by {@link #table}. */
    private long epoch = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() - EPOCH_ORIGIN_MILLIS);

    /** Guarded by itself. */
    private final LockTable<Long> table = new LockTable<>(StoreTraits.Expiry.LEASE, () -> ++epoch, new Outbox());

    /** How long each message to a client takes beyond its way, so that a hand-over has a price. */
    private final long messageNanos;

    private TcpLockServer(long messageNanos) {
        this.messageNanos = messageNanos;
    }

    /** Serves until standard input ends. Arguments, if any: the port, and by how many nanoseconds messages are slowed. */
    public static void main(String[] arguments) throws IOException {
        int port = arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]);
        TcpLockServer server = new TcpLockServer(arguments.length < 2 ? 0 : Long.parseLong(arguments[1]));
        try (ServerSocket socket = new ServerSocket(port, 200, InetAddress.getLoopbackAddress())) {
            start(() -> server.accept(socket));
            System.out.println(socket.getLocalPort());
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        }
    }

    private void accept(ServerSocket socket) {
        try {
            while (!socket.isClosed()) {
                Socket connection = socket.accept();
                start(() -> serve(connection));
            }
        } catch (IOException closed) {
            System.out.println("closed: " + closed);
        }
    }

    private void serve(Socket connection) {
        try (connection;
                DataInputStream in = new DataInputStream(new BufferedInputStream(connection.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(connection.getOutputStream()))) {
            connection.setTcpNoDelay(true);
            long client = in.readLong();
            if (in.readBoolean()) {
                answer(client, in, out);
            } else {
                tell(newOutbox(client), out);
            }
        } catch (IOException gone) {
            System.out.println("a client is gone: " + gone);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(long client, DataInputStream in, DataOutputStream out) throws IOException {
        for (int first = in.read(); first >= 0; first = in.read()) {
            ByteArrayOutputStream reply = new ByteArrayOutputStream();
            step(client, Wire.Request.values()[first], in, new DataOutputStream(reply));
            reply.writeTo(out);
            out.flush();
        }
    }

    /** A client that comes back gets what it has not been told yet, and its earlier connection gets nothing more. */
    private BlockingQueue<byte[]> newOutbox(long client) {
        BlockingQueue<byte[]> fresh = new LinkedBlockingQueue<>();
        synchronized (table) {
            BlockingQueue<byte[]> earlier = outboxes.put(client, fresh);
            if (earlier != null) {
                earlier.drainTo(fresh);
                earlier.add(THE_END);
            }
        }
        return fresh;
    }

    private void tell(BlockingQueue<byte[]> outbox, DataOutputStream out) throws IOException, InterruptedException {
        out.writeByte(0);
        out.flush();
        for (byte[] message = outbox.take(); message != THE_END; message = outbox.take()) {
            if (messageNanos > 0) {
                LockSupport.parkNanos(messageNanos);
            }
            out.write(message);
            out.flush();
        }
    }

    private void step(long client, Wire.Request request, DataInputStream in, DataOutputStream out) throws IOException {
        switch (request) {
            case ACQUIRE -> {
                var claims = Wire.readList(in, Wire::readClaim);
                atomically(
                        out,
                        now -> Wire.writeList(
                                out,
                                claims.stream()
                                        .map(claim -> table.acquire(client, claim, now))
                                        .toList(),
                                Wire::writeAcquired));
            }
            case WITHDRAW -> {
                Claim claim = Wire.readClaim(in);
                boolean mayStillArrive = in.readBoolean();
                atomically(out, now -> table.withdraw(claim, mayStillArrive, now));
            }
            case RENEW -> {
                var grants = Wire.readList(in, Wire::readGrant);
                atomically(
                        out,
                        now -> Wire.writeList(
                                out,
                                grants.stream()
                                        .map(grant -> table.renew(grant, now))
                                        .toList(),
                                Wire::writeRenewed));
            }
            case RELEASE -> {
                var grants = Wire.readList(in, Wire::readGrant);
                atomically(
                        out,
                        now -> Wire.writeList(
                                out,
                                grants.stream()
                                        .map(grant -> table.release(grant, now))
                                        .toList(),
                                Wire::writeReleased));
            }
            case INSPECT -> {
                String name = in.readUTF();
                atomically(
                        out,
                        now -> Wire.writeList(
                                out, table.inspect(name, now).stream().toList(), Wire::writeView));
            }
            case LIST -> {
                String prefix = in.readUTF();
                int limit = in.readInt();
                atomically(out, now -> Wire.writeList(out, table.list(prefix, limit, now), Wire::writeView));
            }
            case EVICT -> {
                String name = in.readUTF();
                boolean one = in.readBoolean();
                long epoch = in.readLong();
                OptionalLong only = one ? OptionalLong.of(epoch) : OptionalLong.empty();
                String by = in.readUTF();
                String reason = in.readUTF();
                atomically(out, now -> out.writeInt(table.evict(name, only, by, reason, now)));
            }
            case PING -> atomically(out, now -> {});
        }
    }

    /** A step of the table at one moment. */
    private interface Step {
        void run(long now) throws IOException;
    }

    private void atomically(DataOutputStream out, Step step) throws IOException {
        synchronized (table) {
            long now = now();
            out.writeLong(now);
            step.run(now);
        }
    }

    private long now() {
        return System.nanoTime() - originNanos;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "server");
        thread.setDaemon(true);
        thread.start();
    }

    /** Puts messages where the client's message connection takes them from. Called inside a step only. */
    private final class Outbox implements Notices<Long> {
        @Override
        public void granted(Long client, List<Grant> grants) {
            post(client, Wire.Message.GRANTED, out -> Wire.writeList(out, grants, Wire::writeGrant));
        }

        @Override
        public void wanted(Long client, String name, long wantedEpoch) {
            post(client, Wire.Message.WANTED, out -> {
                out.writeUTF(name);
                out.writeLong(wantedEpoch);
            });
        }

        @Override
        public void lost(Long client, String name, OwnerId owner, long lostEpoch, LossReason reason) {
            post(client, Wire.Message.LOST, out -> {
                out.writeUTF(name);
                Wire.writeOwner(out, owner);
                out.writeLong(lostEpoch);
                out.writeByte(reason.ordinal());
            });
        }

        private void post(Long client, Wire.Message kind, Content content) {
            BlockingQueue<byte[]> outbox = outboxes.get(client);
            if (outbox != null) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                try (DataOutputStream out = new DataOutputStream(bytes)) {
                    out.writeByte(kind.ordinal());
                    out.writeLong(now());
                    content.write(out);
                } catch (IOException impossible) {
                    throw new UncheckedIOException(impossible);
                }
                outbox.add(bytes.toByteArray());
            }
        }
    }

    /** The rest of a message. */
    private interface Content {
        void write(DataOutputStream out) throws IOException;
    }
}
