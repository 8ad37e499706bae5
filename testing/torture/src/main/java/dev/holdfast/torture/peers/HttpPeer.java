package dev.holdfast.torture.peers;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Our locks over HTTP, by the rules for clients in docs/server.md: time counts from before a request is sent, each acquisition
 * has a key, and a request that an instance has not answered is repeated with it at the next one.
 */
final class HttpPeer implements Peer {
    private static final int CREATED = 201;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int CONTENDED = 409;
    private static final int GONE = 410;
    private static final Pattern LEASE_ID = Pattern.compile("\"leaseId\":\"([^\"]+)\"");
    private static final Pattern TOKEN = Pattern.compile("\"token\":\"([0-9]+)\"");
    private static final Pattern VALID = Pattern.compile("\"validForMillis\":([0-9]+)");

    /** As long as an instance waits for its store, and a little for the way. */
    private static final Duration TIME_TO_ANSWER = Duration.ofMillis(900);

    private static final long PAUSE_MILLIS = 20;
    private static final int RENEWALS_PER_LEASE = 3;

    private final List<String> instances;
    private final Duration lease;
    private final AtomicInteger turn = new AtomicInteger();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIME_TO_ANSWER)
            .build();
    private final ScheduledExecutorService renewals = Executors.newScheduledThreadPool(4, task -> {
        Thread thread = new Thread(task, "renewals");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Makes a client.
     *
     * @param urls of the instances, with commas
     */
    HttpPeer(String urls, Duration lease) {
        this.instances = Arrays.asList(urls.split(",", -1));
        this.lease = lease;
    }

    @Override
    public @Nullable Held take(String name, Duration wait) throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        long begun = System.nanoTime();
        long until = begun + wait.plus(TIME_TO_ANSWER).toNanos();
        String trouble = "";
        while (true) {
            long sent = System.nanoTime();
            if (sent >= until) {
                throw new IOException("no instance has told: " + trouble);
            }
            long waitMillis = Math.max(0, wait.toMillis() - TimeUnit.NANOSECONDS.toMillis(sent - begun));
            String body = "{\"wait\":\"" + waitMillis + "ms\",\"lease\":\"" + lease.toMillis() + "ms\"}";
            try {
                HttpResponse<String> answer =
                        send("POST", "/v1/locks/" + name.replace("/", "%2F") + "/leases", body, key, until - sent);
                if (answer.statusCode() == CREATED) {
                    return new Taken(answer.body(), sent);
                }
                if (answer.statusCode() == CONTENDED) {
                    return null;
                }
                trouble = answer.statusCode() + " " + answer.body();
            } catch (IOException unanswered) {
                trouble = String.valueOf(unanswered);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /** Asks the next instance in turn. */
    private HttpResponse<String> send(String method, String path, String body, String key, long nanos)
            throws IOException, InterruptedException {
        String instance = instances.get(Math.floorMod(turn.getAndIncrement(), instances.size()));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(instance + path))
                .timeout(Duration.ofNanos(Math.max(1, nanos)))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        return http.send(request.build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
        renewals.shutdownNow();
    }

    private static String found(Pattern pattern, String json) throws IOException {
        Matcher matcher = pattern.matcher(json);
        if (!matcher.find()) {
            throw new IOException("an answer without " + pattern + ": " + json);
        }
        return matcher.group(1);
    }

    /** A lease that is renewed until it is released. */
    private final class Taken implements Held {
        private final String path;
        private final long token;
        private final Future<?> renewing;
        private volatile long deadline;
        private volatile boolean over;

        Taken(String json, long sent) throws IOException {
            path = "/v1/leases/" + found(LEASE_ID, json);
            token = Long.parseLong(found(TOKEN, json));
            deadline = deadline(json, sent);
            long pause = lease.toNanos() / RENEWALS_PER_LEASE;
            renewing = renewals.scheduleWithFixedDelay(this::renew, pause, pause, TimeUnit.NANOSECONDS);
        }

        private static long deadline(String json, long sent) throws IOException {
            return sent + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(found(VALID, json)));
        }

        private void renew() {
            while (!over && System.nanoTime() < deadline) {
                long sent = System.nanoTime();
                try {
                    HttpResponse<String> answer = send("PUT", path, "{}", "", deadline - sent);
                    if (answer.statusCode() == OK && System.nanoTime() < deadline) {
                        deadline = deadline(answer.body(), sent);
                        return;
                    }
                    over |= answer.statusCode() == GONE;
                    TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                } catch (IOException unanswered) {
                    // The next one is asked.
                    continue;
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }

        @Override
        public long token() {
            return token;
        }

        @Override
        public Answer ask() {
            return !over && System.nanoTime() < deadline ? Answer.HELD : Answer.LOST;
        }

        /** Whoever gets no answer has done what it can: the lease ends by itself. */
        @Override
        public boolean release() throws InterruptedException {
            boolean held = ask() == Answer.HELD;
            over = true;
            renewing.cancel(false);
            boolean asked = false;
            long until = System.nanoTime() + lease.toNanos();
            for (long now = System.nanoTime(); now < until; now = System.nanoTime()) {
                try {
                    int status = send("DELETE", path, "", "", until - now).statusCode();
                    if (status == NO_CONTENT || status == GONE) {
                        // An earlier request may have released it without an answer.
                        return status == NO_CONTENT || (asked && held);
                    }
                } catch (IOException unanswered) {
                    asked = true;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            return false;
        }
    }
}
