package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand leases, and ten thousand requests that wait for them, each on a connection of its own. */
@Tag("full")
class ManyWaitsTest {
    private static final int COUNT = 10_000;
    private static final int MOST_THREADS = 100;

    /** A server in a process of its own, so that its threads and memory can be told from the test's. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) throws IOException {
            HoldfastServer server = HoldfastServer.start(ServerOptions.of("memory:", Servers.SECRET)
                    .withListen(new InetSocketAddress("127.0.0.1", 0))
                    .withLimits(Limits.usual().withWaitersPerClient(COUNT)));
            System.out.println(server.uri());
            // Ends with the test, which holds the other end.
            if (System.in.read() < 0) {
                server.close();
            }
        }
    }

    @Test
    @Timeout(300)
    void holdNoThreadAndAreAllServed() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<SocketChannel> waiting = new ArrayList<>();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            URI root = URI.create(out.readLine());
            Wire wire = new Wire(root);
            List<String> leases = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                leases.add(wire.acquire("n" + i, "{\"lease\":\"600s\"}").text("leaseId"));
            }
            InetSocketAddress address = new InetSocketAddress(root.getHost(), root.getPort());
            String body = "{\"wait\":\"600s\",\"lease\":\"600s\"}";
            for (int i = 0; i < COUNT; i++) {
                SocketChannel channel = SocketChannel.open(address);
                waiting.add(channel);
                channel.write(ByteBuffer.wrap(("POST /v1/locks/n" + i + "/leases HTTP/1.1\r\nHost: localhost\r\n"
                                + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                + body)
                        .getBytes(StandardCharsets.US_ASCII)));
            }
            Awaitility.await().atMost(Duration.ofSeconds(120)).until(() -> gauge(wire, "waiting_requests") == COUNT);
            long threads = gauge(wire, "process_threads");
            System.out.println("10,000 leases and 10,000 waiting requests: " + threads + " threads, "
                    + gauge(wire, "process_memory_used_bytes") / 1_000_000 + " MB used");
            assertThat(threads).isLessThan(MOST_THREADS);

            leases.forEach(lease -> assertThat(wire.release(lease).status()).isEqualTo(204));
            for (SocketChannel channel : waiting) {
                ByteBuffer answer = ByteBuffer.allocate(64);
                channel.read(answer);
                assertThat(new String(answer.array(), StandardCharsets.US_ASCII))
                        .startsWith("HTTP/1.1 201");
            }
        } finally {
            for (SocketChannel channel : waiting) {
                channel.close();
            }
            process.destroy();
        }
    }

    private static long gauge(Wire wire, String name) {
        Matcher value = Pattern.compile("(?m)^holdfast_" + name + " ([0-9]+)$")
                .matcher(wire.get("/metrics").http().body());
        assertThat(value.find()).as(name).isTrue();
        return Long.parseLong(value.group(1));
    }
}
