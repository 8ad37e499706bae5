package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.tls.Certificates;
import dev.holdfast.server.Wire.Reply;
import dev.holdfast.server.api.AccessRules;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
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

    private static Wire wire(HoldfastServer server, SSLContext tls) {
        return new Wire(
                URI.create("https://localhost:" + server.address().getPort()),
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .sslContext(tls)
                        .build());
    }

    private HoldfastServer start(Certificates certificates, String... lines) throws IOException {
        Path access = Files.write(directory.resolve("clients"), List.of(lines));
        return servers.start(options -> options.withAccess(access)
                .withTls(new TlsFiles(
                        certificates.certificateFile(), certificates.keyFile(), certificates.authorityFile())));
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
    void aClientIsKnownByItsCertificateAndDoesItsOwnBusinessOnly() throws IOException, InterruptedException {
        Certificates certificates = Certificates.forLocalhost(RIG);
        HoldfastServer server = start(
                certificates, "billing lock,evict billing/ certificate:billing.internal", "eye look * certificate:eye");
        Wire billing = wire(server, certificates.clientContext("billing.internal"));
        Wire eye = wire(server, certificates.clientContext("eye"));

        Reply me = billing.get("/v1/me");
        assertThat(me.status()).as(me.toString()).isEqualTo(200);
        assertThat(me.json())
                .containsEntry("name", "billing")
                .containsEntry("roles", List.of("evict", "lock"))
                .containsEntry("prefixes", List.of("billing/"));
        Reply lease = billing.acquire("billing/1", "{}");
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);

        for (Reply refused : List.of(
                billing.get("/v1/locks"), // the role
                billing.acquire("shop/1", "{}"), // the prefix
                billing.post("/v1/locks/shop/1/evictions", "{\"reason\":\"x\"}"),
                eye.acquire("billing/2", "{}"),
                eye.post("/v1/locks/billing/1/evictions", "{\"reason\":\"x\"}"),
                eye.release(lease.text("leaseId")))) {
            assertThat(refused.status()).as(refused.toString()).isEqualTo(403);
            assertThat(refused.code()).isEqualTo("forbidden");
        }
        assertThat(eye.get("/v1/locks").http().body()).contains("billing/1", "\"client\":\"billing\"");
        assertThat(billing.release(lease.text("leaseId")).status()).isEqualTo(204);
    }

    @Test
    void aClientWithoutACertificateFromTheFileNeedsAToken()
            throws IOException, InterruptedException, GeneralSecurityException {
        Certificates certificates = Certificates.forLocalhost(RIG);
        NewToken token = NewToken.make("ci", "lock", "*");
        HoldfastServer server = start(certificates, token.line(), "billing lock * certificate:billing");
        for (SSLContext unknown : List.of(
                withoutCertificate(certificates),
                certificates.clientContext("billing2"),
                // A name with blanks, which cannot stand in the file.
                certificates.clientContext())) {
            Wire wire = wire(server, unknown);
            assertThat(wire.get("/v1/me").status()).isEqualTo(401);
            assertThat(wire.get("/v1/me", "Authorization", "Bearer " + token.token())
                            .text("name"))
                    .isEqualTo("ci");
        }
        assertThatThrownBy(() -> new Wire(URI.create(
                                "http://localhost:" + server.address().getPort()))
                        .get("/health"))
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void onlyTheCommonNameOfACertificateCounts() throws IOException {
        Path access = Files.writeString(directory.resolve("clients"), "billing lock * certificate:billing\n");
        assertThat(AccessRules.read(access)
                        .byCertificate("CN=billing,O=Example")
                        .orElseThrow()
                        .name())
                .isEqualTo("billing");
        for (String other :
                new String[] {"CN=billing2", "O=billing", "O=x\\,CN\\=billing", "CN=x,O=a\\,CN=billing", ""}) {
            assertThat(AccessRules.read(access).byCertificate(other)).as(other).isEmpty();
        }
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
