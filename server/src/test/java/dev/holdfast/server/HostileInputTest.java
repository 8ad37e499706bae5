package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.server.Wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is sent gets a clear answer: no stack trace, no echo, no thread that is left waiting. */
class HostileInputTest {
    private static final Servers SERVERS = Servers.inMemory();
    private static HoldfastServer server;
    private static Wire wire;

    @BeforeAll
    static void start() {
        server = SERVERS.start(options -> options.withLimits(Limits.usual()
                .withPatience(Duration.ofSeconds(1), Duration.ofSeconds(2))
                .withWaitersPerClient(2)));
        wire = new Wire(server.uri());
    }

    @AfterAll
    static void stop() {
        SERVERS.close();
    }

    static Stream<Arguments> bodies() {
        return Stream.of(
                arguments("{", 400, "malformed"),
                arguments("[]", 400, "malformed"),
                arguments("{} {}", 400, "malformed"),
                arguments("{\"wait\":\"1s\",\"wait\":\"1s\"}", 400, "malformed"),
                arguments("{\"a\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}", 400, "malformed"),
                arguments("{\"lease\":1e3}", 400, "malformed"),
                arguments("{\"permits\":99999999999999999999}", 400, "malformed"),
                arguments("{\"label\":\"\\ud83\"}", 400, "malformed"),
                arguments("{\"label\":\"\u0001\"}", 400, "malformed"),
                arguments("{'wait':'1s'}", 400, "malformed"),
                arguments("{\"waits\":\"1s\"}", 422, "invalid"),
                arguments("{\"wait\":1}", 422, "invalid"),
                arguments("{\"wait\":\"soon\"}", 422, "invalid"),
                arguments("{\"wait\":\"-1s\"}", 422, "invalid"),
                arguments("{\"wait\":\"9999999d\"}", 422, "invalid"),
                arguments("{\"wait\":\"١s\"}", 422, "invalid"),
                arguments("{\"lease\":\"1ms\"}", 422, "invalid"),
                arguments("{\"lease\":\"999d\"}", 422, "invalid"),
                arguments("{\"kind\":\"mutex\"}", 422, "invalid"),
                arguments("{\"kind\":\"permit\"}", 422, "invalid"),
                arguments("{\"kind\":\"permit\",\"capacity\":0}", 422, "invalid"),
                arguments("{\"kind\":\"permit\",\"capacity\":2,\"permits\":3}", 422, "invalid"),
                arguments("{\"kind\":\"permit\",\"capacity\":2,\"permits\":-1}", 422, "invalid"),
                arguments("{\"kind\":\"permit\",\"capacity\":2147483648}", 422, "invalid"),
                arguments("{\"permits\":1}", 422, "invalid"),
                arguments("{\"kind\":\"read\",\"names\":[\"b\"]}", 422, "invalid"),
                arguments("{\"names\":\"b\"}", 422, "invalid"),
                arguments("{\"names\":[1]}", 422, "invalid"),
                arguments("{\"names\":[\"\"]}", 422, "invalid"),
                arguments("{\"names\":[\"\\u0000\"]}", 422, "invalid"),
                arguments("{\"names\":[\"\\ud83d\"]}", 422, "invalid"),
                arguments(
                        "{\"names\":[" + "\"a%s\",".repeat(17).formatted((Object[]) "abcdefghijklmnopq".split(""))
                                + "\"z\"]}",
                        422,
                        "invalid"),
                arguments("{\"label\":\"" + "x".repeat(201) + "\"}", 422, "invalid"),
                arguments("{\"label\":\"a\\nb\"}", 422, "invalid"),
                arguments("{\"label\":\"" + "x".repeat(20_000) + "\"}", 413, "too-large"));
    }

    @ParameterizedTest
    @MethodSource
    void bodies(String body, int status, String code) {
        Reply reply = wire.acquire("a", body);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(status);
        assertThat(reply.code()).isEqualTo(code);
        assertThat(reply.http().body()).contains("detail").doesNotContain("Exception", "at dev.", "\tat ");
    }

    static Stream<Arguments> requests() {
        String post = "POST /v1/locks/a/leases HTTP/1.1\r\nHost: localhost\r\n";
        String get = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        return Stream.of(
                arguments("this is not HTTP\r\n\r\n", "400"),
                arguments("GET /../../etc/passwd" + get, "400"),
                arguments("GET /v1//locks" + get, "400"),
                arguments("GET /v1/./health" + get, "400"),
                arguments("GET /v1/locks/%zz" + get, "400"),
                arguments("GET /v1/locks/%" + get, "400"),
                arguments("GET /v1/locks/%ff%fe" + get, "400"),
                arguments("GET /v1/locks/%c0%ae%c0%ae" + get, "400"),
                arguments("GET health" + get, "400"),
                arguments("GET http://localhost/health" + get, "400"),
                arguments("GET /%2e%2e/%2e%2e/etc/passwd" + get, "404"),
                arguments("GET /..%2f..%2fetc%2fpasswd" + get, "404"),
                arguments("GET /v1/nothing" + get, "404"),
                arguments("PATCH /health" + get, "405"),
                arguments("HEAD /v1/events" + get, "405"),
                arguments("HEAD /v1/leases/x/events?release=true" + get, "405"),
                arguments("DELETE /v1/locks/a/leases" + get, "405"),
                arguments("GET /" + "x".repeat(9_000) + get, "414"),
                arguments("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n", "431"),
                arguments(post + "Content-Length: 2\r\nConnection: close\r\n\r\n{}", "415"),
                arguments(post + "Content-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", "415"),
                arguments(
                        post
                                + "Content-Type: application/json\r\nContent-Length: 4\r\nConnection: close\r\n\r\n{\"\u00ff\"",
                        "400"),
                arguments(post + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{", "413"),
                arguments(
                        post
                                + "Content-Type: application/json\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n",
                        "413"),
                arguments(
                        "GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\nConnection: close\r\n\r\n", "200"),
                arguments(
                        post + "Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                        "400"),
                arguments(
                        post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
                        "4"),
                arguments(
                        post + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
                        "400"),
                arguments(
                        post + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + ("400\r\n" + "x".repeat(1024) + "\r\n").repeat(20),
                        "413"),
                arguments(post + "Idempotency-Key: a\r\nIdempotency-Key: b\r\nConnection: close\r\n\r\n", "422"),
                arguments(post + "Idempotency-Key: " + "k".repeat(201) + "\r\nConnection: close\r\n\r\n", "422"),
                arguments(post + "Idempotency-Key: a b\r\nConnection: close\r\n\r\n", "422"),
                // A page of another site, and a name that was made to point to this machine.
                arguments(post + "Origin: https://evil.example\r\nConnection: close\r\n\r\n", "403"),
                arguments(post + "Origin: null\r\nConnection: close\r\n\r\n", "403"),
                arguments(post + "Sec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n", "403"),
                arguments("GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "403"),
                arguments("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", "4"),
                arguments("GET /health HTTP/1.1\r\nHost: localhost\r\nHost: b\r\nConnection: close\r\n\r\n", "4"));
    }

    @ParameterizedTest
    @MethodSource
    void requests(String request, String status) throws IOException {
        String answer = RawClient.exchange(server.address(), request);
        assertThat(answer).startsWith("HTTP/1.1 " + status).doesNotContain("Exception", "\tat ", "etc/passwd");
        assertThat(answer).contains("Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff");
    }

    @Test
    void namesOfEveryKindAreNames() {
        for (String name : new String[] {
            "a/b",
            "..",
            "a b",
            "<script>alert(1)</script>",
            "%2F",
            "?#&=+",
            "\u202egnp.exe",
            "ü",
            "\ud83d\ude00".repeat(63)
        }) {
            Reply lease = wire.acquire(name, "{}");
            assertThat(lease.status()).as(name + lease).isEqualTo(201);
            assertThat(lease.text("name")).isEqualTo(name);
            assertThat(lease.http().body()).doesNotContain("<", "\u202e");
            assertThat(wire.release(lease.text("leaseId")).status()).isEqualTo(204);
        }
        assertThat(wire.acquire("\ud83d\ude00".repeat(64), "{}").status()).isEqualTo(422);
        assertThat(wire.acquire("a\u0000", "{}").status()).isEqualTo(422);
    }

    @Test
    void aSlashInANameNeedNotBeEncoded() {
        Reply lease = wire.post("/v1/locks/orders/42/leases", "{}");
        assertThat(lease.text("name")).isEqualTo("orders/42");
        assertThat(wire.acquire("orders/42", "{}").code()).isEqualTo("contended");
    }

    @Test
    void leaseIdsCannotBeMadeUp() {
        Reply lease = wire.acquire("forged", "{}");
        String id = lease.text("leaseId");
        char last = id.charAt(id.length() - 1);
        for (String wrong : new String[] {
            "x",
            "AAAA",
            id.substring(1),
            id + "A",
            id.substring(0, id.length() - 1) + (last == 'A' ? 'B' : 'A'),
            "a".repeat(7_000)
        }) {
            assertThat(wire.renew(wrong).code()).isEqualTo("lease-unknown");
            assertThat(wire.release(wrong).code()).isEqualTo("lease-unknown");
        }
        assertThat(wire.renew(id).status()).isEqualTo(200);
    }

    @Test
    void slowClientsAreCutOff() throws IOException {
        try (RawClient slow = new RawClient(server.address());
                RawClient silent = new RawClient(server.address())) {
            slow.send("POST /v1/locks/slow/leases HTTP/1.1\r\nHost: localhost\r\nContent-Le");
            assertThat(slow.readToTheEnd()).isEmpty();
            assertThat(silent.readToTheEnd()).isEmpty();
        }
    }

    @Test
    void aClientHasSoManyWaitingRequestsAndNoMore() {
        wire.acquire("crowded", "{}");
        CompletableFuture<Reply> first = wire.acquireLater("crowded", "{\"wait\":\"20s\"}");
        CompletableFuture<Reply> second = wire.acquireLater("crowded", "{\"wait\":\"20s\"}");
        await().until(() ->
                wire.acquire("crowded", "{\"wait\":\"10ms\"}").code().equals("too-many"));
        assertThat(wire.acquire("crowded", "{}").code()).isEqualTo("contended");
        first.cancel(true);
        second.cancel(true);
        await().until(() ->
                wire.acquire("crowded", "{\"wait\":\"10ms\"}").code().equals("contended"));
    }

    @Test
    void whatIsRefusedIsNotTakenForTheAnswerToAnEarlierRequest() throws IOException {
        Reply holder = wire.acquire("refused", "{}");
        String json = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        for (String bad : List.of(
                "POST /v1/locks/b/leases" + json + "Content-Length: 1000000\r\n\r\n",
                "POST /v1/locks/b/leases" + json + "Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n",
                "POST /v1/locks/b/leases" + json + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
                "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "nonsense\r\n\r\n")) {
            try (RawClient client = new RawClient(server.address())) {
                client.send("POST /v1/locks/refused/leases" + json + "Content-Length: 14\r\n\r\n{\"wait\":\"50s\"}");
                await().until(() ->
                        !List.of().equals(wire.get("/v1/locks/refused").json().get("waiters")));
                client.send(bad);
                assertThat(client.readToTheEnd()).as(bad).isEmpty();
            }
            await().until(() ->
                    List.of().equals(wire.get("/v1/locks/refused").json().get("waiters")));
        }
        wire.release(holder.text("leaseId"));
    }

    @Test
    void largeRequestsThatAreSentAheadOfAnAnswerEndTheConnection() throws IOException {
        String body = "{\"wait\":\"50s\",\"label\":\"" + " ".repeat(10_000) + "\"}";
        String request = "POST /v1/locks/ahead/leases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: ";
        Reply holder = wire.acquire("ahead", "{}");
        try (RawClient eager = new RawClient(server.address())) {
            eager.send(request + "14\r\n\r\n{\"wait\":\"50s\"}");
            await().until(() ->
                    !List.of().equals(wire.get("/v1/locks/ahead").json().get("waiters")));
            eager.send((request + body.length() + "\r\n\r\n" + body).repeat(3));
            assertThat(eager.readToTheEnd()).isEmpty();
        }
        await().until(() -> List.of().equals(wire.get("/v1/locks/ahead").json().get("waiters")));
        wire.release(holder.text("leaseId"));
    }

    @Test
    void requestsThatAreSentAheadAreAnsweredInOrder() throws IOException {
        String answers = RawClient.exchange(
                server.address(),
                "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        List<String> statuses = new ArrayList<>();
        Matcher status = Pattern.compile("HTTP/1.1 ([0-9]{3})").matcher(answers);
        while (status.find()) {
            statuses.add(status.group(1));
        }
        assertThat(statuses).containsExactly("200", "404", "200");
    }
}
