package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one server and logs in; with TLS, only to one whose certificate is for that host. All addresses of a
 * host, the handshake and the login share one deadline. Immutable.
 */
final class Connector {
    private final HostAndPort address;
    private final @Nullable SSLContext tls;
    private final Supplier<ShortWait> shortWaits;

    Connector(HostAndPort address, @Nullable SSLContext tls, Supplier<ShortWait> shortWaits) {
        this.address = address;
        this.tls = tls;
        this.shortWaits = shortWaits;
    }

    /**
     * Connects.
     *
     * @param login what is sent first; the server must not refuse any of it
     * @param courtesy what is sent behind that, and may be refused
     * @throws BrokenConnection if there is no connection in time
     * @throws ServerRefusal if the login is refused
     */
    SocketConnection connect(List<byte[]> login, List<byte[]> courtesy, Deadline deadline) {
        InetAddress[] machines = resolve();
        IOException last = null;
        for (int i = 0; i < machines.length; i++) {
            try {
                // An address that does not answer must leave time for the others.
                SocketConnection connection = open(machines[i], deadline, machines.length - i);
                logIn(connection, login, courtesy);
                return connection;
            } catch (IOException failed) {
                last = failed;
            }
        }
        throw new BrokenConnection(last == null ? new UnknownHostException(address.host()) : last);
    }

    private SocketConnection open(InetAddress machine, Deadline deadline, int addressesLeft) throws IOException {
        Socket plain = new Socket();
        try {
            plain.setTcpNoDelay(true);
            plain.setKeepAlive(true);
            plain.connect(
                    new InetSocketAddress(machine, address.port()), Math.max(1, deadline.leftMillis() / addressesLeft));
            plain.setSoTimeout(deadline.leftMillis());
            Socket socket = tls == null ? plain : encrypt(plain, tls);
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

    private InetAddress[] resolve() {
        try {
            return InetAddress.getAllByName(address.host());
        } catch (UnknownHostException unknown) {
            throw new BrokenConnection(
                    new UnknownHostException("the host " + address.host() + " is not known").initCause(unknown));
        }
    }

    private Socket encrypt(Socket plain, SSLContext context) throws IOException {
        SSLSocket encrypted =
                (SSLSocket) context.getSocketFactory().createSocket(plain, address.host(), address.port(), true);
        SSLParameters parameters = encrypted.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        encrypted.setSSLParameters(parameters);
        encrypted.startHandshake();
        return encrypted;
    }

    private static void close(Socket socket, IOException because) {
        try {
            socket.close();
        } catch (IOException alsoFailed) {
            because.addSuppressed(alsoFailed);
        }
    }
}
