package dev.holdfast.redis.wire;

import dev.holdfast.StoreMisconfiguredException;
import dev.holdfast.spi.StoreUri;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whom to trust and how to prove who we are, in files of PEM form; what is not said is as this Java is set up.
 *
 * @param authority a file with the certificates of those who sign the server's
 * @param certificate a file with our certificate, and those of who signed it
 * @param key a file with our private key
 */
record TlsSettings(
        @Nullable String authority,
        @Nullable String certificate,
        @Nullable String key) {
    static final String AUTHORITY = "ca";
    static final String CERTIFICATE = "cert";
    static final String KEY = "key";
    static final Set<String> OPTIONS = Set.of(AUTHORITY, CERTIFICATE, KEY);

    private static final List<String> KINDS = List.of("RSA", "EC", "Ed25519");
    private static final Pattern PRIVATE_KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final char[] NO_PASSWORD = {};

    static TlsSettings of(StoreUri uri) {
        TlsSettings settings = new TlsSettings(
                uri.option(AUTHORITY).orElse(null),
                uri.option(CERTIFICATE).orElse(null),
                uri.option(KEY).orElse(null));
        if ((settings.certificate == null) != (settings.key == null)) {
            throw new StoreMisconfiguredException(
                    "the options '" + CERTIFICATE + "' and '" + KEY + "' need each other: a certificate and its key");
        }
        return settings;
    }

    boolean isEmpty() {
        return authority == null && certificate == null;
    }

    String firstOption() {
        return authority != null ? AUTHORITY : CERTIFICATE;
    }

    SSLContext context() {
        if (isEmpty()) {
            try {
                return SSLContext.getDefault();
            } catch (GeneralSecurityException unusable) {
                throw new StoreMisconfiguredException("this Java cannot do TLS as it is set up", unusable);
            }
        }
        TrustManager @Nullable [] trusted = authority == null ? null : trusting(authority);
        KeyManager @Nullable [] own = certificate == null || key == null ? null : proving(certificate, key);
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own, trusted, null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new StoreMisconfiguredException("this Java cannot do TLS as it is set up", unusable);
        }
    }

    private static TrustManager[] trusting(String file) {
        try {
            KeyStore store = emptyStore();
            int count = 0;
            for (Certificate one : certificates(file)) {
                store.setCertificateEntry("authority-" + count++, one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust.getTrustManagers();
        } catch (IOException | GeneralSecurityException unreadable) {
            throw new StoreMisconfiguredException(
                    "the option '" + AUTHORITY + "' must name a file with certificates in PEM form", unreadable);
        }
    }

    private static KeyManager[] proving(String certificateFile, String keyFile) {
        try {
            KeyStore store = emptyStore();
            Certificate[] chain = certificates(certificateFile).toArray(Certificate[]::new);
            store.setKeyEntry("client", privateKey(keyFile), NO_PASSWORD, chain);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            return keys.getKeyManagers();
        } catch (IOException | GeneralSecurityException unreadable) {
            throw new StoreMisconfiguredException(
                    "the options '" + CERTIFICATE + "' and '" + KEY + "' must name files with a certificate and its"
                            + " private key in PEM form, the key as PKCS #8 ('BEGIN PRIVATE KEY')",
                    unreadable);
        }
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(String file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) {
                throw new IOException("there is no certificate in " + file);
            }
            return all;
        }
    }

    private static PrivateKey privateKey(String file) throws IOException, GeneralSecurityException {
        Matcher form = PRIVATE_KEY.matcher(Files.readString(Path.of(file), StandardCharsets.US_ASCII));
        if (!form.find()) {
            throw new IOException("there is no private key in " + file);
        }
        byte[] encoded = Base64.getMimeDecoder().decode(form.group(1));
        for (String kind : KINDS) {
            try {
                return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException another) {
                continue;
            }
        }
        throw new InvalidKeyException("the private key in " + file + " is none of " + KINDS);
    }
}
