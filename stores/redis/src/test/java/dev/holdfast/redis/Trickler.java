package dev.holdfast.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** A server that accepts everybody and answers a byte now and then, of an answer that never ends. Thread-safe. */
final class Trickler implements Closeable {
    private static final long BETWEEN_BYTES_NANOS = 50_000_000;
    private static final int BACKLOG = 100;

    private final ServerSocket listener;
    private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Trickler() throws IOException {
        listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** {@return how many connections are open at the other end, as far as that was noticed} */
    int open() {
        return clients.size();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listener.accept();
                clients.add(client);
                start(() -> trickle(client));
            } catch (IOException over) {
                return;
            }
        }
    }

    private void trickle(Socket client) {
        try (client) {
            OutputStream out = client.getOutputStream();
            out.write('+');
            while (!closed) {
                out.write('x');
                LockSupport.parkNanos(BETWEEN_BYTES_NANOS);
            }
        } catch (IOException gone) {
            // Whoever was listening has had enough.
            return;
        } finally {
            clients.remove(client);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "trickler");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
    }
}
