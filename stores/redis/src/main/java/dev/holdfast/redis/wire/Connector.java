package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one server and logs in; with TLS, only to one whose certificate is for that host. All addresses of a
 * host, the handshake and the login share one deadline. Immutable.
 */
final class Connector {
    private final HostAndPort address;
    private final @Nullable Encryption tls;
    private final Supplier<ShortWait> shortWaits;

    Connector(HostAndPort address, @Nullable Encryption tls, Supplier<ShortWait> shortWaits) {
        this.address = address;
        this.tls = tls;
        this.shortWaits = shortWaits;
    }

    /**
     * Connects.
     *
     * @param login what is sent first; the server must not refuse any of it
     * @param courtesy what is sent behind that, and may be refused
     * @param opening is told what to cut if it takes too long
     * @throws BrokenConnection if there is no connection in time
     * @throws ServerRefusal if the login is refused
     */
    SocketConnection connect(List<byte[]> login, List<byte[]> courtesy, Deadline deadline, Opening opening) {
        InetAddress[] machines = resolve(deadline);
        IOException last = null;
        for (int i = 0; i < machines.length; i++) {
            try {
                // An address that does not answer must leave time for the others.
                SocketConnection connection = open(machines[i], deadline, machines.length - i, opening);
                logIn(connection, login, courtesy);
                return connection;
            } catch (IOException failed) {
                last = failed;
            }
        }
        throw new BrokenConnection(last == null ? new UnknownHostException(address.host()) : last);
    }

    private SocketConnection open(InetAddress machine, Deadline deadline, int addressesLeft, Opening opening)
            throws IOException {
        Socket plain = new Socket();
        try {
            opening.by(plain);
            plain.setTcpNoDelay(true);
            plain.setKeepAlive(true);
            plain.connect(
                    new InetSocketAddress(machine, address.port()), Math.max(1, deadline.leftMillis() / addressesLeft));
            plain.setSoTimeout(deadline.leftMillis());
            Socket socket = tls == null ? plain : tls.around(plain, address);
            socket.setSoTimeout(deadline.leftMillis());
            return new SocketConnection(plain, socket, shortWaits.get());
        } catch (IOException failed) {
            close(plain, failed);
            throw failed;
        }
    }

    private static void logIn(SocketConnection connection, List<byte[]> login, List<byte[]> courtesy)
            throws IOException {
        try {
            login.forEach(connection::sendEncoded);
            courtesy.forEach(connection::sendEncoded);
            RuntimeException refused = null;
            for (int i = 0; i < login.size() + courtesy.size(); i++) {
                if (connection.receive() instanceof ServerRefusal refusal && i < login.size() && refused == null) {
                    refused = refusal;
                }
            }
            if (refused != null) {
                throw refused;
            }
        } catch (BrokenConnection broken) {
            connection.cut();
            throw new IOException(broken.getMessage(), broken.getCause());
        } catch (RuntimeException | Error refused) {
            connection.cut();
            throw refused;
        }
    }

    private InetAddress[] resolve(Deadline deadline) {
        try {
            return HostLookup.SYSTEM.find(address.host(), deadline);
        } catch (IOException unknown) {
            throw new BrokenConnection(unknown);
        }
    }

    private static void close(Socket socket, IOException because) {
        try {
            socket.close();
        } catch (IOException alsoFailed) {
            because.addSuppressed(alsoFailed);
        }
    }
}
