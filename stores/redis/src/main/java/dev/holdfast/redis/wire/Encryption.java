package dev.holdfast.redis.wire;

import java.io.IOException;
import java.net.Socket;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * How connections are encrypted. Immutable.
 *
 * @param context whom to trust and how to prove who we are; null if only sockets can be made, as some clients lend them
 * @param sockets makes encrypted sockets
 * @param checksHost whether a certificate has to be for the host that was asked for
 */
public record Encryption(@Nullable SSLContext context, SSLSocketFactory sockets, boolean checksHost) {

    public Encryption {
        Objects.requireNonNull(sockets, "sockets");
    }

    /** {@return encryption by a context} */
    public static Encryption by(SSLContext context, boolean checksHost) {
        return new Encryption(context, context.getSocketFactory(), checksHost);
    }

    /** Encrypts an open connection. */
    Socket around(Socket plain, HostAndPort address) throws IOException {
        SSLSocket encrypted = (SSLSocket) sockets.createSocket(plain, address.host(), address.port(), true);
        encrypted.setSSLParameters(checked(encrypted.getSSLParameters()));
        encrypted.startHandshake();
        return encrypted;
    }

    /** {@return what makes the state of a new connection to an address; null without a context} */
    @Nullable
    Supplier<SSLEngine> engines(HostAndPort address) {
        SSLContext made = context;
        if (made == null) {
            return null;
        }
        return () -> {
            SSLEngine engine = made.createSSLEngine(address.host(), address.port());
            engine.setUseClientMode(true);
            engine.setSSLParameters(checked(engine.getSSLParameters()));
            return engine;
        };
    }

    private SSLParameters checked(SSLParameters parameters) {
        if (checksHost) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        return parameters;
    }
}
