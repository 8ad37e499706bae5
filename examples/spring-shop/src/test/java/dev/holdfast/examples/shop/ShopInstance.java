package dev.holdfast.examples.shop;

import dev.holdfast.rig.Launch;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.Server;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One instance of the shop in a process of its own. */
record ShopInstance(Server server) {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** What a customer was told. */
    record Answer(int status, String text) {}

    static ShopInstance start(Rig rig, List<String> properties) throws InterruptedException {
        return new ShopInstance(rig.start("shop", new Launch() {
            @Override
            public List<String> prepare(Place place) {
                List<String> command = new ArrayList<>(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShopApplication.class.getName(),
                        "--server.port=" + place.port(),
                        "--server.address=127.0.0.1"));
                command.addAll(properties);
                return command;
            }

            @Override
            public boolean ready(Place place) throws IOException {
                try {
                    return get(place.port(), "/actuator/health/readiness").status() == 200;
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new IOException(interrupted);
                }
            }

            @Override
            public void forget(Place place) {
                // It keeps nothing.
            }
        }));
    }

    Answer order(String item, String customer) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + server.port() + "/orders?item=" + item + "&customer=" + customer))
                .timeout(Duration.ofMinutes(1))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    Answer get(String path) throws IOException, InterruptedException {
        return get(server.port(), path);
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send("DELETE", server.port(), path);
    }

    private static Answer get(int port, String path) throws IOException, InterruptedException {
        return send("GET", port, path);
    }

    private static Answer send(String method, int port, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10))
                .build();
        HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }
}
