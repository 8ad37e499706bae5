package dev.holdfast.server;

import dev.holdfast.server.wire.JsonReader;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What a client of any language would send and get. */
final class Wire {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** One for all tests: each has a thread of its own. */
    static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private final URI root;
    private final HttpClient http;

    Wire(URI root) {
        this(root, HTTP);
    }

    /** A client with settings of its own, such as a certificate. */
    Wire(URI root, HttpClient http) {
        this.root = root;
        this.http = http;
    }

    /** An answer. */
    record Reply(int status, Map<String, Object> json, HttpResponse<String> http) {
        String text(String member) {
            return (String) json.get(member);
        }

        long number(String member) {
            return (Long) json.get(member);
        }

        String code() {
            return text("code");
        }
    }

    Reply post(String path, String body, String... headers) {
        return send("POST", path, body, headers);
    }

    Reply acquire(String name, String body, String... headers) {
        return post(leases(name), body, headers);
    }

    Reply acquireAs(String key, String name) {
        return acquire(name, "{}", "Idempotency-Key", key);
    }

    CompletableFuture<Reply> acquireLater(String name, String body, String... headers) {
        return http.sendAsync(request("POST", leases(name), body, headers), BodyHandlers.ofString())
                .thenApply(Wire::reply);
    }

    Reply renew(String leaseId) {
        return send("PUT", "/v1/leases/" + leaseId, "{}");
    }

    Reply release(String leaseId) {
        return send("DELETE", "/v1/leases/" + leaseId, "");
    }

    Reply get(String path, String... headers) {
        return send("GET", path, "", headers);
    }

    Reply send(String method, String path, String body, String... headers) {
        try {
            return reply(http.send(request(method, path, body, headers), BodyHandlers.ofString()));
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    static String leases(String name) {
        return "/v1/locks/"
                + URLEncoder.encode(name, StandardCharsets.UTF_8)
                        .replace("+", "%20")
                        .replace(".", "%2E") + "/leases";
    }

    private HttpRequest request(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(root.resolve(path))
                .timeout(PATIENCE)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    private static Reply reply(HttpResponse<String> http) {
        String type = http.headers().firstValue("Content-Type").orElse("");
        Map<String, Object> json =
                type.contains("json") && http.body().startsWith("{") ? JsonReader.readObject(http.body()) : Map.of();
        return new Reply(http.statusCode(), json, http);
    }
}
