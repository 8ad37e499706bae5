package dev.holdfast.cli.doctor;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Questions to one server over HTTP, with answers in flat JSON or in lines of metrics. Used by one thread. */
final class HttpQuestion {
    private static final Duration PATIENCE = Duration.ofMillis(Subject.TIMEOUT_MILLIS);
    private static final int OK = 200;

    /** Servers tell the time in whole seconds, rounded down. */
    private static final int HALF_A_SECOND_MILLIS = 500;

    private final String base;
    private final HttpClient client;
    private String token = "";
    private String metrics = "";

    HttpQuestion(Authority.Place place, @Nullable SSLContext encryption) {
        base = (encryption == null ? "http://" : "https://") + place;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(PATIENCE);
        client = encryption == null
                ? builder.build()
                : builder.sslContext(encryption).build();
    }

    /** From now on questions are asked as somebody who has signed in. */
    void signedIn(String given) {
        token = given;
    }

    Answer get(String path) throws IOException {
        return send(request(path).build());
    }

    /** The same for one that has been answered before. */
    Answer getQuietly(String path) {
        try {
            return get(path);
        } catch (IOException gone) {
            return new Answer(0, "", System.currentTimeMillis());
        }
    }

    Answer post(String path, String json) throws IOException {
        return send(
                request(path).POST(HttpRequest.BodyPublishers.ofString(json)).build());
    }

    /** {@return the sum of a metric, with its labels if it is to have some; 0 if it is not told} */
    double metric(String name) throws IOException {
        if (metrics.isEmpty()) {
            metrics = get("/metrics").body();
        }
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> number(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(PATIENCE);
        return token.isEmpty() ? builder : builder.header("Authorization", token);
    }

    private Answer send(HttpRequest request) throws IOException {
        try {
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.body(),
                    response.headers()
                            .firstValue("Date")
                            .map(HttpQuestion::millis)
                            .orElse(0L));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    private static long millis(String date) {
        try {
            return ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant()
                            .toEpochMilli()
                    + HALF_A_SECOND_MILLIS;
        } catch (DateTimeException malformed) {
            return System.currentTimeMillis();
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    /**
     * What was answered.
     *
     * @param code the status of HTTP
     * @param body what was said
     * @param timeMillis the server's time, in milliseconds since 1970
     */
    record Answer(int code, String body, long timeMillis) {
        boolean isRefused() {
            return code != OK;
        }

        /** {@return the first value of a name in JSON, or an empty text} */
        String text(String name) {
            List<String> found = all(name);
            return found.isEmpty() ? "" : found.get(0);
        }

        double number(String name) {
            return HttpQuestion.number(text(name));
        }

        /** {@return all values of a name in JSON} */
        List<String> all(String name) {
            List<String> found = new ArrayList<>();
            Matcher each = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(body);
            while (each.find()) {
                found.add(each.group(1));
            }
            return found;
        }
    }
}
