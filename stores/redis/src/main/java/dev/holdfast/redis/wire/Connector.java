package dev.holdfast.redis.wire;

import dev.holdfast.spi.ShortWait;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Opens sockets to one server; with TLS, only to one whose certificate is for that host. Remembers which of the host's
 * machines it reached. Used by one thread at a time.
 */
final class Connector implements JedisSocketFactory {
    private final HostAndPort address;
    private final int timeoutMillis;
    private final @Nullable SSLContext tls;
    private final Supplier<ShortWait> shortWaits;
    private @Nullable InetAddress reached;
    private @Nullable Socket opened;

    Connector(HostAndPort address, int timeoutMillis, @Nullable SSLContext tls, Supplier<ShortWait> shortWaits) {
        this.address = address;
        this.timeoutMillis = timeoutMillis;
        this.tls = tls;
        this.shortWaits = shortWaits;
    }

    @Override
    public Socket createSocket() {
        IOException last = null;
        for (InetAddress host : resolve()) {
            Socket plain = tls == null ? new AttentiveSocket(shortWaits.get()) : new Socket();
            try {
                plain.setTcpNoDelay(true);
                plain.setKeepAlive(true);
                plain.setSoTimeout(timeoutMillis);
                plain.connect(new InetSocketAddress(host, address.getPort()), timeoutMillis);
                Socket socket = tls == null ? plain : encrypt(plain, tls);
                reached = host;
                opened = socket;
                return socket;
            } catch (IOException failed) {
                last = failed;
                close(plain, failed);
            }
        }
        throw new JedisConnectionException("no connection to " + address, last);
    }

    /** {@return the machine that was reached last} */
    InetAddress reached() {
        return Objects.requireNonNull(reached, "not connected");
    }

    /** {@return the socket that was opened last} */
    Socket opened() {
        return Objects.requireNonNull(opened, "not connected");
    }

    private InetAddress[] resolve() {
        try {
            return InetAddress.getAllByName(address.getHost());
        } catch (UnknownHostException unknown) {
            throw new JedisConnectionException("the host " + address.getHost() + " is not known", unknown);
        }
    }

    private Socket encrypt(Socket plain, SSLContext context) throws IOException {
        SSLSocket encrypted =
                (SSLSocket) context.getSocketFactory().createSocket(plain, address.getHost(), address.getPort(), true);
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
