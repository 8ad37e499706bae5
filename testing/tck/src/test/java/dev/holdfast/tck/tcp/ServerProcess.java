package dev.holdfast.tck.tcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A lock server in a process of its own, ended by its own id. It keeps its port. Used by one thread at a time. */
public final class ServerProcess implements AutoCloseable {
    private final int port;
    private Process process;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** {@return a server that is ready} */
    public static ServerProcess start() throws IOException {
        return start(Duration.ZERO);
    }

    /** {@return a server that is ready and whose messages take so long} */
    public static ServerProcess start(Duration messageDelay) throws IOException {
        Process process = launch(0, messageDelay);
        return new ServerProcess(process, portOf(process));
    }

    /** {@return where it is} */
    public String url() {
        return urlOf(port);
    }

    /** {@return where it is, seen through something that listens on another port} */
    public static String urlOf(int port) {
        return "tcktest://127.0.0.1:" + port;
    }

    /** {@return its port} */
    public int port() {
        return port;
    }

    /** Ends it without any chance to say goodbye; all its locks are gone. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Starts it again if it was killed, without any locks. */
    public void startAgain() throws IOException {
        if (!process.isAlive()) {
            process = launch(port, Duration.ZERO);
            portOf(process);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private static Process launch(int port, Duration messageDelay) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-classpath",
                System.getProperty("java.class.path"),
                TcpLockServer.class.getName(),
                Integer.toString(port),
                Long.toString(messageDelay.toNanos()));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Waits until the server says where it listens. */
    private static int portOf(Process process) throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        int port = Integer.parseInt(output.readLine());
        Thread drain = new Thread(() -> output.lines().forEach(line -> {}), "server-output");
        drain.setDaemon(true);
        drain.start();
        return port;
    }
}
