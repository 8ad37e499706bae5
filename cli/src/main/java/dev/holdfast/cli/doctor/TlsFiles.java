package dev.holdfast.cli.doctor;

import dev.holdfast.StoreMisconfiguredException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Whom to trust and how to prove who we are, in the files that a store's options name; and what servers show. */
final class TlsFiles {
    private static final Duration SOON = Duration.ofDays(14);
    private static final List<String> KINDS = List.of("RSA", "EC", "Ed25519");
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private TlsFiles() {}

    /** {@return a context by PEM files, each of which may be missing} */
    static SSLContext ofPem(@Nullable String authority, @Nullable String certificate, @Nullable String key) {
        try {
            KeyStore trusted = null;
            if (authority != null) {
                trusted = empty();
                int count = 0;
                for (Certificate each : certificates(authority)) {
                    trusted.setCertificateEntry("authority-" + count++, each);
                }
            }
            KeyStore own = null;
            if (certificate != null && key != null) {
                own = empty();
                own.setKeyEntry(
                        "client",
                        privateKey(key),
                        new char[0],
                        certificates(certificate).toArray(Certificate[]::new));
            }
            return context(trusted, own, new char[0]);
        } catch (IOException | GeneralSecurityException unusable) {
            throw unusable(unusable);
        }
    }

    /** {@return a context by stores of PKCS #12, JKS or PEM form, each of which may be missing} */
    static SSLContext ofStores(
            @Nullable String trust,
            @Nullable String trustPassword,
            @Nullable String keys,
            @Nullable String keyPassword) {
        if ((trust == null || trust.endsWith(".pem")) && (keys == null || keys.endsWith(".pem"))) {
            return ofPem(trust, keys, keys);
        }
        try {
            char[] password = letters(keyPassword);
            return context(
                    trust == null ? null : KeyStore.getInstance(Path.of(trust).toFile(), letters(trustPassword)),
                    keys == null ? null : KeyStore.getInstance(Path.of(keys).toFile(), password),
                    password);
        } catch (IOException | GeneralSecurityException unusable) {
            throw unusable(unusable);
        }
    }

    /** Encrypts a connection, if there is something to encrypt it with, and connects it. */
    static Socket connect(String host, int port, @Nullable SSLContext context) throws IOException {
        Socket plain = new Socket();
        try {
            plain.setSoTimeout(Subject.TIMEOUT_MILLIS);
            plain.connect(new InetSocketAddress(host, port), Subject.TIMEOUT_MILLIS);
            if (context == null) {
                return plain;
            }
            SSLSocket encrypted = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port, true);
            encrypted.setSSLParameters(checkingHosts());
            encrypted.startHandshake();
            return encrypted;
        } catch (IOException | RuntimeException failed) {
            plain.close();
            throw failed;
        }
    }

    static SSLParameters checkingHosts() {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        return parameters;
    }

    /** Looks how long the certificate of a server is still good. */
    static void lookAtCertificate(String host, int port, SSLContext context, Findings findings) {
        try (Socket socket = connect(host, port, context)) {
            Certificate[] shown = ((SSLSocket) socket).getSession().getPeerCertificates();
            if (shown.length > 0 && shown[0] instanceof X509Certificate certificate) {
                Instant end = certificate.getNotAfter().toInstant();
                String what = "the connection is encrypted; its certificate is good until "
                        + end.toString().substring(0, "2000-01-01".length());
                if (end.isBefore(Instant.now().plus(SOON))) {
                    findings.caution("certificate", what, "renew it before it ends: no client can connect then");
                } else {
                    findings.ok("certificate", what);
                }
            }
        } catch (IOException refused) {
            findings.unknown(
                    "certificate",
                    "an encrypted connection could not be made",
                    "look at the options 'ca', 'cert' and 'key', and whether the certificate is for this host");
        }
    }

    private static SSLContext context(@Nullable KeyStore trusted, @Nullable KeyStore own, char[] password)
            throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        if (own == null) {
            context.init(null, trust.getTrustManagers(), null);
        } else {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, password);
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        }
        return context;
    }

    /** Without the cause's words, which may show a path's contents. */
    private static StoreMisconfiguredException unusable(Exception cause) {
        return new StoreMisconfiguredException("the files for TLS that the options name cannot be used", cause);
    }

    private static char[] letters(@Nullable String password) {
        return password == null ? new char[0] : password.toCharArray();
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static List<Certificate> certificates(String file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            return List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
        }
    }

    private static PrivateKey privateKey(String file) throws IOException, GeneralSecurityException {
        Matcher form = PRIVATE_KEY.matcher(Files.readString(Path.of(file), StandardCharsets.US_ASCII));
        if (!form.find()) {
            throw new IOException("there is no private key of PKCS #8 form in the file");
        }
        byte[] encoded = Base64.getMimeDecoder().decode(form.group(1));
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException another) {
                continue;
            }
        }
        throw new IOException(String.format(Locale.ROOT, "the private key is none of %s", KINDS));
    }
}
