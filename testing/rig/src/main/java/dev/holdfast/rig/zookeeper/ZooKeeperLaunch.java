package dev.holdfast.rig.zookeeper;

import dev.holdfast.rig.Directories;
import dev.holdfast.rig.Launch;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * How a ZooKeeper server is started: a JVM of its own with the class path of this one.
 *
 * @param settings how it is set up
 * @param id its number in the ensemble, from 1; or 0 for a server on its own
 * @param members lines of the configuration that name the members of its ensemble, as this one sees them
 */
record ZooKeeperLaunch(ZooKeeperSettings settings, int id, List<String> members) implements Launch {
    private static final int PATIENCE_MILLIS = 5_000;

    /** A server that is just starting may swallow a question and leave the connection open; then it is asked again. */
    static final int START_PATIENCE_MILLIS = 500;

    private static final int LARGEST_ANSWER = 1 << 20;

    /** How many ticks a member may be out of touch before it notices; clients of a cut member stay that long. */
    private static final int SYNC_LIMIT_TICKS = 60;

    /** The port for plain connections, also of the rig itself; the second, if any, is for TLS. */
    @Override
    public int ports() {
        return settings.certificates() == null ? 1 : 2;
    }

    @Override
    public List<String> prepare(Place place) throws IOException {
        Files.createDirectories(data(place));
        Files.write(configuration(place), lines(place));
        if (id > 0) {
            Files.writeString(data(place).resolve("myid"), Integer.toString(id));
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Xshare:auto",
                "-XX:+UseSerialGC",
                settings.optimised() ? "-XX:+TieredCompilation" : "-XX:TieredStopAtLevel=1",
                "-Djava.net.preferIPv4Stack=true",
                "-Dzookeeper.admin.enableServer=false",
                "-Dzookeeper.4lw.commands.whitelist=*",
                "-Dzookeeper.jmx.log4j.disable=true",
                // The file that is reserved beforehand for the log; 64 MB of zeros would make every start slow.
                "-Dzookeeper.preAllocSize=1024",
                "-Dzookeeper.forceSync=" + (settings.synchronous() ? "yes" : "no"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                "-Dorg.slf4j.simpleLogger.showDateTime=true"));
        settings.properties().forEach(property -> command.add("-D" + property));
        command.addAll(List.of(
                "-classpath",
                System.getProperty("java.class.path"),
                QuorumPeerMain.class.getName(),
                configuration(place).toString()));
        return List.copyOf(command);
    }

    /** A member of an ensemble answers this before it has found the others, who may not be started yet. */
    @Override
    public boolean ready(Place place) throws IOException {
        return id > 0
                ? "imok".equals(ask(place.port(), "ruok", START_PATIENCE_MILLIS))
                : ask(place.port(), "srvr", START_PATIENCE_MILLIS).contains("Mode: ");
    }

    @Override
    public void forget(Place place) throws IOException {
        Directories.delete(data(place));
    }

    @Override
    public boolean portTaken(String log) {
        return log.contains("Address already in use") || log.contains("BindException");
    }

    /** Sends one of ZooKeeper's four-letter words. */
    static String ask(int port, String word) throws IOException {
        return ask(port, word, PATIENCE_MILLIS);
    }

    static String ask(int port, String word, int patienceMillis) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(patienceMillis);
            socket.connect(new InetSocketAddress("127.0.0.1", port), patienceMillis);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            InputStream answer = socket.getInputStream();
            return new String(answer.readNBytes(LARGEST_ANSWER), StandardCharsets.UTF_8);
        }
    }

    static Path data(Place place) {
        return place.directory().resolve("data");
    }

    private static Path configuration(Place place) {
        return place.directory().resolve("zoo.cfg");
    }

    private List<String> lines(Place place) {
        List<String> lines = new ArrayList<>(List.of(
                "dataDir=" + data(place),
                "clientPortAddress=127.0.0.1",
                "clientPort=" + place.port(),
                "tickTime=" + settings.tick().toMillis(),
                "initLimit=" + SYNC_LIMIT_TICKS,
                "syncLimit=" + SYNC_LIMIT_TICKS,
                "minSessionTimeout=" + 2 * settings.tick().toMillis(),
                "maxSessionTimeout=60000",
                "maxClientCnxns=0"));
        Certificates certificates = settings.certificates();
        if (certificates != null) {
            lines.add("secureClientPort=" + place.ports().get(1));
            lines.add("secureClientPortAddress=127.0.0.1");
            lines.add("serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory");
            lines.add("ssl.keyStore.location=" + certificates.keyStore());
            lines.add("ssl.keyStore.password=" + Certificates.TRUST_STORE_PASSWORD);
            lines.add("ssl.keyStore.type=PKCS12");
            lines.add("ssl.clientAuth=none");
        }
        lines.addAll(members);
        return lines;
    }
}
