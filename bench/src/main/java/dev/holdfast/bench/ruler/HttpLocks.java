package dev.holdfast.bench.ruler;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast over HTTP: a {@code holdfast serve} in a process of its own, and for each thread a client that does as little as
 * a client can. It keeps its connection, and gives each acquisition an idempotency key, as clients should.
 */
final class HttpLocks implements Locks {
    private static final Pattern ADDRESS = Pattern.compile("\"at\":\"(http://[^\"]+)\"");
    private static final Pattern LEASE_ID = Pattern.compile("\"leaseId\":\"([^\"]+)\"");

    private final Process server;
    private final Path secret;
    private final URI address;

    /** The main class of the server's process: the command line, which must not outlive the process that asked for it. */
    static final class Serve {
        private Serve() {}

        public static void main(String[] arguments) {
            ProcessHandle.current()
                    .parent()
                    .ifPresent(parent ->
                            parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
            dev.holdfast.cli.Main.main(arguments);
        }
    }

    HttpLocks(String url) {
        try {
            secret = Files.createTempDirectory("holdfast-bench").resolve("secret");
            server = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xms256m",
                            "-Xmx512m",
                            "-classpath",
                            System.getProperty("java.class.path"),
                            Serve.class.getName(),
                            "serve",
                            "--url",
                            url,
                            "--listen",
                            "127.0.0.1:0",
                            "--log",
                            "json",
                            "--secret-file",
                            secret.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            address = addressIn(server.inputReader(StandardCharsets.UTF_8));
        } catch (IOException failed) {
            throw new UncheckedIOException("no server can be started", failed);
        }
    }

    private static URI addressIn(BufferedReader log) throws IOException {
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            Matcher found = ADDRESS.matcher(line);
            if (found.find()) {
                return URI.create(found.group(1));
            }
        }
        throw new IOException("the server ended before it listened");
    }

    @Override
    public Mutex mutex(String name) {
        return new Handle(name);
    }

    @Override
    public void close() {
        server.destroy();
        try {
            server.waitFor();
            Files.deleteIfExists(secret);
            Files.deleteIfExists(secret.getParent());
        } catch (IOException left) {
            throw new UncheckedIOException(left);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Keeps the connection, and the lease between lock and unlock. */
    private final class Handle implements Mutex {
        private static final String WAIT = "{\"wait\":\"60s\"}";

        private final String name;
        private final PlainHttp http = new PlainHttp(address.getHost(), address.getPort());
        private @Nullable String leaseId;

        Handle(String name) {
            this.name = name;
        }

        @Override
        public void lock() {
            PlainHttp.Answer answer = http.exchange(
                    "POST",
                    "/v1/locks/" + name + "/leases",
                    List.of("Content-Type: application/json", "Idempotency-Key: " + UUID.randomUUID()),
                    WAIT);
            Matcher found = LEASE_ID.matcher(answer.body());
            if (answer.status() != 201 || !found.find()) {
                throw new IllegalStateException("no lease: " + answer);
            }
            leaseId = found.group(1);
        }

        @Override
        public void unlock() {
            PlainHttp.Answer answer = http.exchange("DELETE", "/v1/leases/" + leaseId, List.of(), "");
            if (answer.status() != 204) {
                throw new IllegalStateException("not released: " + answer);
            }
        }
    }
}
