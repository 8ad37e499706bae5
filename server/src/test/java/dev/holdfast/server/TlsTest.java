package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import dev.holdfast.server.api.AccessRules;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** TLS, and clients that are known by their certificate. */
class TlsTest {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    @TempDir
    private Path directory;

    private final Servers servers = Servers.inMemory();

    @AfterEach
    void stop() {
        servers.close();
    }

    private static HttpResponse<String> get(HoldfastServer server, SSLContext tls, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                URI.create("https://localhost:" + server.address().getPort() + "/v1/me"));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(tls)
                .build()
                .send(request.build(), BodyHandlers.ofString());
    }

    private static SSLContext withoutCertificate(Certificates certificates)
            throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(
                certificates.trustStore().toFile(), Certificates.TRUST_STORE_PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Test
    void aClientIsKnownByItsCertificateOrItsToken() throws IOException, InterruptedException, GeneralSecurityException {
        Certificates certificates = Certificates.forLocalhost(RIG);
        NewToken token = NewToken.make("ci", "lock", "*");
        Path access = directory.resolve("clients");
        // A name with blanks cannot stand in the file, so this certificate is nobody's.
        Files.writeString(access, token.line() + "\nbilling lock * certificate:billing\n");
        HoldfastServer server = servers.start(options -> options.withAccess(access)
                .withTls(new TlsFiles(
                        certificates.certificateFile(), certificates.keyFile(), certificates.authorityFile())));

        assertThat(get(server, certificates.clientContext()).statusCode()).isEqualTo(401);
        SSLContext plain = withoutCertificate(certificates);
        assertThat(get(server, plain).statusCode()).isEqualTo(401);
        assertThat(get(server, plain, "Authorization", "Bearer " + token.token())
                        .body())
                .contains("\"ci\"");
        assertThat(AccessRules.read(access)
                        .byCertificate("CN=billing,O=Example")
                        .orElseThrow()
                        .name())
                .isEqualTo("billing");
        for (String other :
                new String[] {"CN=billing2", "O=billing", "O=x\\,CN\\=billing", "CN=x,O=a\\,CN=billing", ""}) {
            assertThat(AccessRules.read(access).byCertificate(other)).as(other).isEmpty();
        }
        assertThatThrownBy(() -> new Wire(URI.create(
                                "http://localhost:" + server.address().getPort()))
                        .get("/health"))
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void unusableFilesAreNamedWithoutTheirContents() throws IOException {
        Path nonsense = directory.resolve("key.pem");
        Files.writeString(nonsense, "very secret");
        assertThatThrownBy(() -> servers.start(options -> options.withTls(new TlsFiles(nonsense, nonsense, null))))
                .hasMessageContaining("key.pem")
                .hasMessageContaining("PKCS #8")
                .hasMessageNotContaining("very secret");
        assertThatThrownBy(() -> servers.start(
                        options -> options.withTls(new TlsFiles(directory.resolve("none"), nonsense, null))))
                .hasMessageContaining("cannot be read");
    }
}
