package dev.holdfast.rig.tls;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.RigException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * An authority of its own and a server's key that it has signed, as PEM files for servers and as a trust store for Java.
 * Immutable.
 */
public final class Certificates {
    /** The password of {@link #trustStore()}; it protects nothing. */
    public static final String TRUST_STORE_PASSWORD = "not-a-secret";

    private static final String SERVER = "server";
    private static final String AUTHORITY = "authority";
    private static final String CLIENT = "client";

    private final Path directory;
    private final SSLContext clientContext;

    private Certificates(Path directory, SSLContext clientContext) {
        this.directory = directory;
        this.clientContext = clientContext;
    }

    /**
     * Makes certificates for a server on this machine.
     *
     * @param rig in whose directory they are kept
     * @return valid for {@code localhost} and {@code 127.0.0.1}
     * @throws InterruptedException if interrupted
     */
    public static Certificates forLocalhost(Rig rig) throws InterruptedException {
        return make(rig, "san=dns:localhost,ip:127.0.0.1");
    }

    /**
     * Makes certificates that are good for another host only, so that a client that looks at names refuses them.
     *
     * @param rig in whose directory they are kept
     * @param host the name in the certificate
     * @return valid for that host
     * @throws InterruptedException if interrupted
     */
    public static Certificates forHost(Rig rig, String host) throws InterruptedException {
        return make(rig, "san=dns:" + host);
    }

    /** {@return the authority's certificate, PEM} */
    public Path authorityFile() {
        return directory.resolve("authority.pem");
    }

    /** {@return the server's certificate, PEM} */
    public Path certificateFile() {
        return directory.resolve("server.pem");
    }

    /** {@return the server's private key, PEM} */
    public Path keyFile() {
        return directory.resolve("server.key");
    }

    /** {@return a PKCS#12 store that trusts the authority and nobody else} */
    public Path trustStore() {
        return directory.resolve("trust.p12");
    }

    /**
     * Holds the private keys of the server and of the authority, for servers in Java.
     *
     * @return a PKCS#12 store with the same password as {@link #trustStore()}
     */
    public Path keyStore() {
        return directory.resolve("keys.p12");
    }

    /** {@return a context for clients that trust the authority and nobody else, and have the server's certificate} */
    public SSLContext clientContext() {
        return clientContext;
    }

    /**
     * Makes a certificate for a client, signed by the authority, that has a name of its own.
     *
     * @param commonName its common name, of letters, digits, dots and dashes
     * @return a context for a client that has this certificate, and trusts the authority and nobody else
     * @throws InterruptedException if interrupted
     */
    public SSLContext clientContext(String commonName) throws InterruptedException {
        try {
            // Apart from the keys of servers, which choose one themselves.
            Path keys = Files.createTempFile(directory, "client", ".p12");
            Files.copy(keyStore(), keys, StandardCopyOption.REPLACE_EXISTING);
            keytool(keys, CLIENT, "CN=" + commonName, "-signer", AUTHORITY);
            KeyStore made = KeyStore.getInstance(keys.toFile(), TRUST_STORE_PASSWORD.toCharArray());
            made.deleteEntry(SERVER);
            made.deleteEntry(AUTHORITY);
            return clientContext(made, KeyStore.getInstance(trustStore().toFile(), TRUST_STORE_PASSWORD.toCharArray()));
        } catch (IOException failed) {
            throw new UncheckedIOException("a client's certificate cannot be written", failed);
        } catch (GeneralSecurityException failed) {
            throw new RigException("a client's certificate cannot be made", failed);
        }
    }

    private static Certificates make(Rig rig, String names) throws InterruptedException {
        try {
            Path directory = Files.createTempDirectory(rig.directory(), "certificates");
            Path keys = directory.resolve("keys.p12");
            keytool(keys, AUTHORITY, "CN=Holdfast test authority", "-ext", "bc:c", "-ext", "ku:c=keyCertSign,cRLSign");
            keytool(keys, SERVER, "CN=Holdfast test server", "-ext", names, "-signer", AUTHORITY);
            KeyStore made = KeyStore.getInstance(keys.toFile(), TRUST_STORE_PASSWORD.toCharArray());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(AUTHORITY, made.getCertificate(AUTHORITY));
            Certificates certificates = new Certificates(directory, clientContext(made, trusted));
            certificates.export(made, trusted);
            return certificates;
        } catch (IOException failed) {
            throw new UncheckedIOException("certificates cannot be written", failed);
        } catch (GeneralSecurityException failed) {
            throw new RigException("certificates cannot be made", failed);
        }
    }

    private static void keytool(Path store, String alias, String subject, String... more)
            throws IOException, InterruptedException {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-J-XX:+UseSerialGC",
                                "-genkeypair",
                                "-keyalg",
                                "EC",
                                "-groupname",
                                "secp256r1",
                                "-validity",
                                "30",
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                TRUST_STORE_PASSWORD,
                                "-keystore",
                                store.toString(),
                                "-alias",
                                alias,
                                "-dname",
                                subject),
                        Stream.of(more))
                .collect(Collectors.toCollection(ArrayList::new));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new RigException("keytool failed: " + output);
        }
    }

    /** With a key, for servers that ask their clients for a certificate. */
    private static SSLContext clientContext(KeyStore keys, KeyStore trusted) throws GeneralSecurityException {
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, TRUST_STORE_PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private void export(KeyStore keys, KeyStore trusted) throws GeneralSecurityException, IOException {
        pem(authorityFile(), "CERTIFICATE", keys.getCertificate(AUTHORITY).getEncoded());
        pem(certificateFile(), "CERTIFICATE", keys.getCertificate(SERVER).getEncoded());
        pem(
                keyFile(),
                "PRIVATE KEY",
                keys.getKey(SERVER, TRUST_STORE_PASSWORD.toCharArray()).getEncoded());
        try (OutputStream file = Files.newOutputStream(trustStore())) {
            trusted.store(file, TRUST_STORE_PASSWORD.toCharArray());
        }
    }

    private static void pem(Path file, String kind, byte[] content) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }
}
