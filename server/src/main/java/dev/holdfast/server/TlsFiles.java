package dev.holdfast.server;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files of a server that speaks TLS (1.2 and 1.3).
 *
 * @param certificate the server's certificate and what leads to its authority
 * @param key its private key, as PKCS #8 without a password
 * @param clientAuthority the authority of clients' certificates; null if clients have none
 */
public record TlsFiles(Path certificate, Path key, @Nullable Path clientAuthority) {

    /** Reads the files. A client may have a certificate; whether it needs one is decided with its credentials. */
    SslContext read() {
        for (Path file : new Path[] {certificate, key, clientAuthority}) {
            if (file != null && !Files.isReadable(file)) {
                throw new IllegalArgumentException("the TLS file " + file + " cannot be read");
            }
        }
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(certificate.toFile(), key.toFile())
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2");
            if (clientAuthority != null) {
                builder.trustManager(clientAuthority.toFile()).clientAuth(ClientAuth.OPTIONAL);
            }
            return builder.build();
        } catch (IOException | IllegalArgumentException unusable) {
            // Its own message may quote the key.
            throw new IllegalArgumentException(
                    "the TLS files cannot be used; " + certificate + " must be a certificate and " + key
                            + " its private key as PKCS #8 (BEGIN PRIVATE KEY), both as PEM",
                    unusable);
        }
    }
}
