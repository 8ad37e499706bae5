package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Real instances of the server, of which one is killed. */
@Tag("processes")
class ServeTest {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    private Path directory;

    private Sandbox sandbox;

    @BeforeEach
    void open() {
        sandbox = new Sandbox(directory);
    }

    @AfterEach
    void close() {
        sandbox.close();
    }

    private Launched serve(String url, String... more) {
        String[] arguments = new String[more.length + 7];
        String[] first = {"serve", "--url", url, "--listen", "localhost:0", "--secret-file", directory + "/secret"};
        System.arraycopy(first, 0, arguments, 0, first.length);
        System.arraycopy(more, 0, arguments, first.length, more.length);
        return sandbox.holdfast(arguments);
    }

    private static String addressOf(Launched server) {
        Pattern listening = Pattern.compile("(http://[0-9.:]+)");
        Sandbox.await()
                .alias("listening")
                .until(() -> listening.matcher(server.out()).find());
        Matcher found = listening.matcher(server.out());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    private static CompletableFuture<HttpResponse<String>> send(
            String method, String address, String body, String key) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body));
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        return HTTP.sendAsync(request.build(), BodyHandlers.ofString());
    }

    private static String member(HttpResponse<String> answer, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(answer.body());
        assertThat(found.find()).as(answer.statusCode() + " " + answer.body()).isTrue();
        return found.group(1);
    }

    @Test
    void oneInstanceIsKilledAndTheOtherGoesOnForIt() throws InterruptedException {
        String redis = RedisNode.start(RIG).url();
        Launched first = serve(redis);
        Launched second = serve(redis, "--log", "json");
        String one = addressOf(first);
        String two = addressOf(second);
        String wait = "{\"wait\":\"60s\",\"lease\":\"60s\"}";
        HttpResponse<String> held =
                send("POST", one + "/v1/locks/a/leases", wait, "key-1").join();
        assertThat(held.statusCode()).as(held.body()).isEqualTo(201);
        CompletableFuture<HttpResponse<String>> cutOff = send("POST", one + "/v1/locks/a/leases", wait, "key-2");
        Sandbox.await()
                .until(() ->
                        send("GET", two + "/v1/locks/a", "", "").join().body().contains("waitingMillis"));

        ProcessHandle.of(first.pid()).orElseThrow().destroyForcibly();
        assertThat(cutOff).failsWithin(Sandbox.PATIENCE);

        // The lease and the key are known to the other; who waited asks again and is served.
        String lease = two + "/v1/leases/" + member(held, "leaseId");
        assertThat(send("PUT", lease, "{}", "").join().statusCode()).isEqualTo(200);
        assertThat(member(
                        send("POST", two + "/v1/locks/a/leases", wait, "key-1").join(), "token"))
                .isEqualTo(member(held, "token"));
        CompletableFuture<HttpResponse<String>> again = send("POST", two + "/v1/locks/a/leases", wait, "key-2");
        assertThat(send("DELETE", lease, "", "").join().statusCode()).isEqualTo(204);
        HttpResponse<String> next = again.join();
        assertThat(next.statusCode()).as(next.body()).isEqualTo(201);
        assertThat(Long.parseLong(member(next, "token"))).isGreaterThan(Long.parseLong(member(held, "token")));

        // A graceful stop answers who waits.
        CompletableFuture<HttpResponse<String>> waiting = send("POST", two + "/v1/locks/a/leases", wait, "key-3");
        Sandbox.await()
                .until(() ->
                        send("GET", two + "/v1/locks/a", "", "").join().body().contains("waitingMillis"));
        ProcessHandle.of(second.pid()).orElseThrow().destroy();
        assertThat(member(waiting.join(), "code")).isEqualTo("unavailable");
        assertThat(second.exitCode()).isZero();
        assertThat(second.out().lines()).allMatch(line -> line.startsWith("{\"time\":"));
        assertThat(second.err()).isEmpty();
    }

    @Test
    void anAccessFileIsReadAgainAndTheSecretFileIsOnesOwn() throws IOException {
        String made =
                Capture.of("serve", "--new-token", "ci", "--prefixes", "a/").out();
        String token = made.lines().findFirst().orElseThrow().replaceAll(".* ", "");
        Path access = directory.resolve("clients");
        Files.writeString(access, "nobody look * sha256:" + "0".repeat(64) + "\n");
        Launched server = serve("memory:", "--access-file", access.toString());
        String me = addressOf(server) + "/v1/me";
        HttpRequest request = HttpRequest.newBuilder(URI.create(me))
                .header("Authorization", "Bearer " + token)
                .build();
        assertThat(HTTP.sendAsync(request, BodyHandlers.ofString()).join().statusCode())
                .isEqualTo(401);

        Files.writeString(access, made.lines().skip(1).findFirst().orElseThrow().replaceAll("^.*:  +", "") + "\n");
        sandbox.bash("kill -HUP " + server.pid()).output();
        Sandbox.await()
                .until(() ->
                        HTTP.sendAsync(request, BodyHandlers.ofString()).join().statusCode() == 200);
        assertThat(directory.resolve("secret")).content().hasSizeGreaterThan(60);
        assertThat(Files.getPosixFilePermissions(directory.resolve("secret"))).hasSize(2);
        assertThat(server.out()).doesNotContain(token).contains("reloaded");
    }

    @Test
    void whatWouldBeOpenToOthersByAccidentIsRefused() {
        Capture open =
                Capture.of("serve", "--url", "memory:", "--listen", "0.0.0.0:0", "--secret-file", directory + "/s");
        assertThat(open.code()).isEqualTo(64);
        assertThat(open.err()).contains("--access-file").contains("--insecure-without-credentials");
        assertThat(Capture.of("serve", "--listen", "7420").err()).contains("HOST:PORT");
        assertThat(Capture.of("serve", "--tls-key", "x").err()).contains("--tls-certificate");
        assertThat(Capture.of("serve", "--new-token", "a b").code()).isEqualTo(64);
    }
}
