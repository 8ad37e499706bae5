package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Wire.Reply;
import dev.holdfast.server.api.AccessRules;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may do what. */
class AccessTest {
    private static final NewToken CI = NewToken.make("ci", "lock", "builds/,deploy/");
    private static final NewToken EYE = NewToken.make("eye", "look", "builds/");
    private static final NewToken OPS = NewToken.make("ops", "look,lock,evict", "*");

    @TempDir
    private Path directory;

    private final Servers servers = Servers.inMemory();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private Path file;
    private HoldfastServer server;
    private Wire wire;

    @BeforeEach
    void start() throws IOException {
        file = directory.resolve("clients");
        Files.writeString(file, "# clients\n\n" + CI.line() + "\n" + EYE.line() + "\n" + OPS.line() + "\n");
        server = servers.start(options -> options.withAccess(file)
                .withLog((level, event, fields) -> log.add(level + " " + event + " " + fields)));
        wire = new Wire(server.uri());
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private static String[] as(NewToken token) {
        return new String[] {"Authorization", "Bearer " + token.token()};
    }

    @Test
    void nobodyGetsInWithoutARightToken() {
        for (String header : List.of(
                "Bearer x",
                "Bearer " + CI.token() + "x",
                "Bearer " + CI.token().substring(1),
                "Bearer " + CI.line().substring(CI.line().length() - 64),
                "Bearer " + "x".repeat(5_000),
                "Basic " + CI.token(),
                CI.token())) {
            Reply reply = wire.acquire("builds/1", "{}", "Authorization", header);
            assertThat(reply.status()).as(header).isEqualTo(401);
            assertThat(reply.code()).isEqualTo("unauthorized");
            assertThat(reply.http().headers().firstValue("WWW-Authenticate")).isPresent();
            assertThat(reply.http().body()).doesNotContain(CI.token());
        }
        for (String path : List.of("/v1/locks", "/v1/me", "/v1/store", "/metrics", "/v1/events", "/v1/locks/a")) {
            assertThat(wire.get(path).status()).as(path).isEqualTo(401);
        }
        assertThat(wire.get("/health").status()).isEqualTo(200);
        assertThat(wire.get("/health").json()).containsOnlyKeys("status");
        assertThat(wire.acquire("builds/1", "{}", as(CI)).status()).isEqualTo(201);
        assertThat(wire.acquire("builds/2", "{}", "Authorization", "bEARER " + CI.token())
                        .status())
                .isEqualTo(201);
        assertThat(log).noneMatch(line -> line.contains(CI.token()));
    }

    @Test
    void everybodyDoesTheirOwnBusinessOnly() {
        Reply lease = wire.acquire("builds/1", "{}", as(CI));
        assertThat(wire.acquire("billing/1", "{}", as(CI)).code()).isEqualTo("forbidden");
        assertThat(wire.acquire("builds/2", "{\"names\":[\"billing/1\"]}", as(CI))
                        .code())
                .isEqualTo("forbidden");
        assertThat(wire.get("/v1/locks", as(CI)).code()).isEqualTo("forbidden");
        assertThat(wire.acquire("builds/2", "{}", as(EYE)).code()).isEqualTo("forbidden");
        assertThat(wire.post("/v1/locks/builds/1/evictions", "{\"reason\":\"x\"}", as(CI))
                        .code())
                .isEqualTo("forbidden");
        assertThat(wire.post("/v1/locks/builds/1/evictions", "{\"reason\":\"x\"}", as(EYE))
                        .code())
                .isEqualTo("forbidden");
        String path = "/v1/leases/" + lease.text("leaseId");
        assertThat(wire.send("PUT", path, "{}", as(OPS)).code()).isEqualTo("forbidden");
        assertThat(wire.send("DELETE", path, "", as(OPS)).code()).isEqualTo("forbidden");
        assertThat(wire.send("DELETE", path, "", as(EYE)).code()).isEqualTo("forbidden");

        wire.acquire("secret/1", "{}", as(OPS));
        assertThat(wire.get("/v1/locks", as(EYE)).http().body())
                .contains("builds/1")
                .doesNotContain("secret");
        assertThat(wire.get("/v1/locks/secret/1", as(EYE)).code()).isEqualTo("forbidden");
        assertThat(wire.get("/v1/locks?prefix=se", as(EYE)).json().get("locks")).isEqualTo(List.of());
        assertThat(wire.get("/v1/me", as(EYE)).json()).containsEntry("name", "eye");

        assertThat(wire.post("/v1/locks/builds/1/evictions", "{\"reason\":\"x\"}", as(OPS))
                        .number("evicted"))
                .isEqualTo(1);
        assertThat(log.get(log.size() - 1)).startsWith("audit evict").contains("by=ops");
        assertThat(wire.send("PUT", path, "{}", as(CI)).code()).isEqualTo("lease-lost");
    }

    @Test
    void theSameKeyOfAnotherClientIsAnotherKey() {
        String[] ci = {"Authorization", "Bearer " + CI.token(), "Idempotency-Key", "k"};
        String[] ops = {"Authorization", "Bearer " + OPS.token(), "Idempotency-Key", "k"};
        assertThat(wire.acquire("builds/1", "{}", ci).status()).isEqualTo(201);
        assertThat(wire.acquire("builds/1", "{}", ops).code()).isEqualTo("contended");
    }

    @Test
    void theFileIsReadAgainAndAWrongOneChangesNothing() throws IOException {
        Files.writeString(file, OPS.line() + "\n");
        server.reload();
        assertThat(wire.acquire("builds/1", "{}", as(CI)).status()).isEqualTo(401);
        Files.writeString(file, "nonsense\n");
        assertThatThrownBy(server::reload).hasMessageContaining("line 1").hasMessageNotContaining("nonsense");
        assertThat(wire.acquire("builds/1", "{}", as(OPS)).status()).isEqualTo(201);
    }

    @Test
    void whoIsTakenFromTheFileHearsNothingMoreAndIsNotServedAfterAWait() throws IOException {
        Reply lease = wire.acquire("builds/1", "{\"lease\":\"600s\"}", as(OPS));
        Reply kept = wire.acquire("builds/2", "{\"lease\":\"600s\"}", as(CI));
        CompletableFuture<Reply> waiting = wire.acquireLater("builds/1", "{\"wait\":\"50s\"}", as(CI));
        CompletableFuture<Reply> stays = wire.acquireLater("builds/1", "{\"wait\":\"50s\"}", as(OPS));
        await().until(() ->
                ((List<?>) wire.get("/v1/locks/builds/1", as(OPS)).json().get("waiters")).size() == 2);
        String path = "/v1/leases/" + kept.text("leaseId") + "/events";
        try (Events all = new Events(server.address(), "/v1/events", EYE.token());
                Events ops = new Events(server.address(), "/v1/events?prefix=x", OPS.token());
                Events one = new Events(server.address(), path, CI.token())) {
            all.await("snapshot", 1);
            ops.await("snapshot", 1);
            one.await("held", 1);
            // The operator's line has moved, but it says the same.
            Files.writeString(file, OPS.line() + "\n" + EYE.line().replace("builds/", "other/") + "\n");
            server.reload();
            all.await("reconnect", 1);
            one.await("reconnect", 1);
            assertThat(all.readToTheEnd()).isTrue();
            assertThat(one.readToTheEnd()).isTrue();
            assertThat(waiting.join().status()).isEqualTo(503);
            assertThat(waiting.join().code()).isEqualTo("unavailable");
            wire.acquire("x", "{}", as(OPS));
            ops.await("changed", 1);
            assertThat(stays).isNotDone();
            wire.send("DELETE", "/v1/leases/" + lease.text("leaseId"), "", as(OPS));
            assertThat(stays.join().status()).isEqualTo(201);
        }
    }

    @Test
    void malformedLinesAreRefused() {
        for (String line : List.of(
                "ci look *",
                "ci look * sha256:12",
                "ci look * plain:secret",
                "ci sleep * " + CI.line().substring(CI.line().indexOf("sha256:")),
                "ci look a,,b " + CI.line().substring(CI.line().indexOf("sha256:")),
                "c\u202ei look * " + CI.line().substring(CI.line().indexOf("sha256:")),
                "")) {
            assertThatThrownBy(() -> {
                        Files.writeString(file, line + "\n");
                        AccessRules.read(file);
                    })
                    .as(line)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> AccessRules.read(directory.resolve("missing"))).hasMessageContaining("cannot be read");
    }

    @Test
    void otherMachinesNeedCredentialsAndTlsOrAFlagThatSaysOtherwise() {
        InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
        assertThatThrownBy(() -> servers.start(options -> options.withListen(everywhere)))
                .hasMessageContaining("--insecure-without-credentials");
        assertThatThrownBy(() ->
                        servers.start(options -> options.withListen(everywhere).withAccess(file)))
                .hasMessageContaining("--insecure-without-tls");
        assertThatThrownBy(() ->
                        servers.start(options -> options.withListen(everywhere).withInsecureLackOfCredentials()))
                .hasMessageContaining("--insecure-without-tls");
    }
}
