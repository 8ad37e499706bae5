package dev.holdfast.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Passes each new connection to the next of several ports, as a load balancer does. */
final class Balancer implements AutoCloseable {
    private final ServerSocket door;
    private final int[] ports;

    Balancer(int... ports) throws IOException {
        this.ports = ports;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    private void accept() {
        for (int next = 0; !door.isClosed(); next++) {
            try {
                Socket in = door.accept();
                Socket out = new Socket(InetAddress.getLoopbackAddress(), ports[next % ports.length]);
                start(() -> pass(in, out));
                start(() -> pass(out, in));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private static void pass(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException closed) {
            return;
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "balancer");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
