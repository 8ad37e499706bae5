package dev.holdfast.rig.etcd;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Asks a server over HTTP, as etcd offers beside its protocol. */
final class EtcdGateway {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final int OK = 200;

    private EtcdGateway() {}

    static boolean isHealthy(int port) throws IOException {
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health"))
                        .timeout(Duration.ofSeconds(2))
                        .build())
                .body()
                .contains("\"true\"");
    }

    static String get(int port, String path) throws IOException {
        return body(
                path,
                send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(PATIENCE)
                        .build()));
    }

    static String ask(int port, String path, String json) throws IOException {
        return body(
                path,
                send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .timeout(PATIENCE)
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build()));
    }

    private static String body(String path, HttpResponse<String> answer) throws IOException {
        if (answer.statusCode() != OK) {
            throw new IOException("etcd answers " + answer.statusCode() + " to " + path + ": " + answer.body());
        }
        return answer.body();
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }
}
