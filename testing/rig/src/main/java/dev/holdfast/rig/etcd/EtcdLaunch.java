package dev.holdfast.rig.etcd;

import dev.holdfast.rig.Directories;
import dev.holdfast.rig.Launch;
import dev.holdfast.rig.tls.Certificates;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How an etcd server is started.
 *
 * @param binary the executable
 * @param settings how it is set up
 * @param name its name in the cluster
 * @param peerPort where it listens for the other members; 0 for a port of its own
 * @param advertised where the others find it; empty for a server on its own
 * @param cluster all members, as etcd wants them; empty for a server on its own
 */
record EtcdLaunch(Path binary, EtcdSettings settings, String name, int peerPort, String advertised, String cluster)
        implements Launch {
    private static final int PATIENCE_MILLIS = 2_000;

    @Override
    public int ports() {
        return 2;
    }

    @Override
    public List<String> prepare(Place place) {
        String clients = (settings.certificates() == null ? "http://" : "https://") + "127.0.0.1:" + place.port();
        String listening = "http://127.0.0.1:" + peerPort(place);
        String advertisedPeers = advertised.isEmpty() ? listening : advertised;
        List<String> command = new ArrayList<>(List.of(
                binary.toString(),
                "--name=" + name,
                "--data-dir=" + data(place),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + listening,
                "--initial-advertise-peer-urls=" + advertisedPeers,
                "--initial-cluster=" + (cluster.isEmpty() ? name + "=" + advertisedPeers : cluster),
                "--logger=zap",
                "--log-outputs=stderr",
                "--log-level=warn"));
        Certificates certificates = settings.certificates();
        if (certificates != null) {
            command.add("--cert-file=" + certificates.certificateFile());
            command.add("--key-file=" + certificates.keyFile());
            if (settings.clientsNeedCertificates()) {
                command.add("--client-cert-auth");
                command.add("--trusted-ca-file=" + certificates.authorityFile());
            }
        }
        command.addAll(settings.flags());
        return List.copyOf(command);
    }

    private int peerPort(Place place) {
        return peerPort == 0 ? place.ports().get(1) : peerPort;
    }

    /** A member of a cluster serves clients only when it has found the others, who may not be started yet. */
    @Override
    public boolean ready(Place place) throws IOException {
        if (cluster.isEmpty() && settings.certificates() == null) {
            return EtcdGateway.isHealthy(place.port());
        }
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress("127.0.0.1", cluster.isEmpty() ? place.port() : peerPort(place)),
                    PATIENCE_MILLIS);
            return true;
        }
    }

    @Override
    public void forget(Place place) throws IOException {
        Directories.delete(data(place));
    }

    @Override
    public boolean portTaken(String log) {
        return log.contains("address already in use");
    }

    static Path data(Place place) {
        return place.directory().resolve("data");
    }
}
