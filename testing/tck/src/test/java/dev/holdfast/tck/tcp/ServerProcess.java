package dev.holdfast.tck.tcp;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A lock server in a process of its own, ended by its own id. Used by one thread at a time. */
public final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final String url;

    private ServerProcess(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /** {@return a server that is ready} */
    public static ServerProcess start() throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        TcpLockServer.class.getName())
                .redirectErrorStream(true)
                .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String port = output.readLine();
        Thread drain = new Thread(() -> output.lines().forEach(line -> {}), "server-output");
        drain.setDaemon(true);
        drain.start();
        return new ServerProcess(process, "tcktest://127.0.0.1:" + Integer.parseInt(port));
    }

    /** {@return where it is} */
    public String url() {
        return url;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
