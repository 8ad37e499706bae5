package dev.holdfast.torture.peers;

import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.HoldfastServer;
import dev.holdfast.server.ServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process with one instance of the server. It ends in the ordinary way when its input ends. */
public final class HttpInstance {
    private static final byte[] SECRET = "what all instances of a run share".getBytes(StandardCharsets.UTF_8);
    private static final Duration TIME_TO_COME_BACK = Duration.ofSeconds(30);

    private HttpInstance() {}

    /**
     * Tells how to start one.
     *
     * @param url of the store
     * @param port where it listens
     * @param timeout of every command
     * @return the words for its command line
     */
    public static List<String> words(String url, int port, Duration timeout) {
        return List.of(url, Integer.toString(port), Long.toString(timeout.toMillis()));
    }

    /**
     * Runs the process.
     *
     * @param args as {@link #words}
     * @throws IOException if the input cannot be read
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        ServerOptions options = ServerOptions.of(args[0], SECRET)
                .withListen(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1])))
                .withCommandTimeout(Duration.ofMillis(Long.parseLong(args[2])));
        try (HoldfastServer server = start(options)) {
            System.out.println("ready");
            while (System.in.read() >= 0) {
                // Nobody says anything to it but by the end.
                continue;
            }
        }
        Runtime.getRuntime().halt(0);
    }

    /** One that replaces a dead one may begin in the middle of an outage. */
    private static HoldfastServer start(ServerOptions options) throws IOException, InterruptedException {
        long until = System.nanoTime() + TIME_TO_COME_BACK.toNanos();
        while (true) {
            try {
                return HoldfastServer.start(options);
            } catch (StoreUnavailableException outage) {
                if (System.nanoTime() > until) {
                    throw outage;
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }
}
