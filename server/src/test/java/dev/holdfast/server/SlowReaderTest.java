package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readers of streams that do not read, on real sockets: what the server holds for them, and what becomes of them. */
class SlowReaderTest {
    private static final int LOCKS = 3_000;
    private static final String LABEL = "x".repeat(190);

    /** What a reader may leave unread, and an event. */
    private static final int MOST_OF_ONE = 64 << 10;

    private final Servers servers = Servers.inMemory();
    private final List<String> log = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        servers.close();
    }

    private HoldfastServer start(Limits limits) {
        return servers.start(options -> options.withLimits(limits)
                .withLog((level, event, fields) -> log.add(level + " " + event + " " + fields)));
    }

    /** More news than a system keeps for a socket that nobody reads from. */
    private static void fill(Wire wire) {
        for (int from = 0; from < LOCKS; from += 100) {
            List<CompletableFuture<Reply>> some = new ArrayList<>();
            for (int i = from; i < from + 100; i++) {
                some.add(wire.acquireLater("n" + i, "{\"lease\":\"600s\",\"label\":\"" + LABEL + "\"}"));
            }
            some.forEach(lease -> assertThat(lease.join().status()).isEqualTo(201));
        }
    }

    private static long gauge(Wire wire, String name) {
        Matcher value = Pattern.compile("(?m)^holdfast_" + name + " ([0-9]+)$")
                .matcher(wire.get("/metrics").http().body());
        assertThat(value.find()).as(name).isTrue();
        return Long.parseLong(value.group(1));
    }

    @Test
    void aReaderThatTakesNothingIsCutOffWithAReasonAndLittleIsHeldForItMeanwhile() throws IOException {
        HoldfastServer server = start(Limits.usual().withPatience(Duration.ofSeconds(10), Duration.ofSeconds(3)));
        Wire wire = new Wire(server.uri());
        fill(wire);
        try (Events silent = new Events(server.address(), "/v1/events");
                Events attentive = new Events(server.address(), "/v1/events")) {
            await().until(() -> gauge(wire, "unread_bytes") > 0);
            assertThat(attentive.await("snapshot", 1)).contains("\"first\":true");
            await().until(() -> {
                assertThat(gauge(wire, "unread_bytes")).isLessThan(2 * MOST_OF_ONE);
                return log.stream().anyMatch(line -> line.startsWith("warn stream cut"));
            });
            // It reads after all, within the time for the last word.
            assertThat(silent.await("cut", 1)).contains("\"reason\":\"slow-reader\"", "3000 ms");
            assertThat(silent.readToTheEnd()).isTrue();
        }
        await().until(() -> gauge(wire, "streams") == 0 && gauge(wire, "unread_bytes") == 0);
    }

    @Test
    void aReaderThatIsSlowIsToldTheNewestWhenItComesToIt() throws IOException {
        HoldfastServer server = start(Limits.usual());
        Wire wire = new Wire(server.uri());
        fill(wire);
        try (Events slow = new Events(server.address(), "/v1/events")) {
            await().until(() -> gauge(wire, "unread_bytes") > 0);
            Reply last = wire.acquire("z", "{\"label\":\"newest\"}");
            try (Events other = new Events(server.address(), "/v1/events?prefix=z")) {
                assertThat(other.await("snapshot", 1)).contains("newest");
            }
            int locks = 0;
            String part = "";
            while (!part.contains("\"last\":true")) {
                part = slow.await("snapshot", 1);
                locks += part.split("\"capacity\"", -1).length - 1;
                assertThat(part.length()).isLessThan(MOST_OF_ONE);
            }
            assertThat(locks).isGreaterThanOrEqualTo(LOCKS);
            if (locks == LOCKS) {
                assertThat(slow.await("changed", 1)).contains(last.text("token"));
            }
        }
    }

    @Test
    void allReadersTogetherHaveALimit() throws IOException {
        int most = 3 * MOST_OF_ONE;
        HoldfastServer server = start(Limits.usual().withStreams(100, 100, most));
        Wire wire = new Wire(server.uri());
        fill(wire);
        List<Events> readers = new ArrayList<>();
        try {
            for (int i = 0; i < 30; i++) {
                readers.add(new Events(server.address(), "/v1/events"));
            }
            await().until(() -> gauge(wire, "unread_bytes") >= most);
            // What was begun below the limit is sent to its end, by each of a few threads.
            assertThat(gauge(wire, "unread_bytes")).isLessThan(most + 8 * MOST_OF_ONE);
        } finally {
            for (Events reader : readers) {
                reader.close();
            }
        }
        await().until(() -> gauge(wire, "unread_bytes") == 0);
        try (Events next = new Events(server.address(), "/v1/events")) {
            assertThat(next.await("snapshot", 1)).contains("\"first\":true");
        }
    }

    @Test
    void aClientThatDoesNotReadItsAnswersIsCutOffAndAsksForNoMore() throws IOException {
        HoldfastServer server = start(Limits.usual().withPatience(Duration.ofSeconds(10), Duration.ofSeconds(3)));
        Wire wire = new Wire(server.uri());
        fill(wire);
        String list = "GET /v1/locks?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (RawClient greedy = new RawClient(server.address())) {
            greedy.send(list.repeat(16));
            await().until(() -> gauge(wire, "unread_bytes") > 0);
            long one = wire.get("/v1/locks?limit=10000").http().body().length();
            // Not all of them: the next is not begun before the first was read.
            await().until(() -> {
                assertThat(gauge(wire, "unread_bytes")).isLessThanOrEqualTo(2 * one);
                return gauge(wire, "unread_bytes") == 0;
            });
        }
    }

    @Test
    void aLongAnswerIsRefusedWhileOthersDoNotReadTheirs() throws IOException {
        HoldfastServer server = start(Limits.usual().withStreams(10, 10, 1 << 20));
        Wire wire = new Wire(server.uri());
        fill(wire);
        try (RawClient greedy = new RawClient(server.address())) {
            // More than the system takes for a connection.
            greedy.send("GET /v1/locks?limit=10000 HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(16));
            await().until(() -> wire.get("/v1/locks?limit=1").status() == 503);
            assertThat(wire.get("/v1/locks?limit=1").code()).isEqualTo("unavailable");
            assertThat(wire.acquire("still", "{}").status()).isEqualTo(201);
            assertThat(wire.get("/health").status()).isEqualTo(200);
        }
        await().until(() -> wire.get("/v1/locks?limit=1").status() == 200);
    }

    @Test
    void whatOthersDoNotReadCostsNobodyItsLease() throws IOException {
        // As if others had used up all that the server holds for readers.
        HoldfastServer server = start(Limits.usual().withStreams(10, 10, 0));
        Wire wire = new Wire(server.uri());
        Reply lease = wire.acquire("a", "{\"lease\":\"1s\"}");
        try (Events events = new Events(server.address(), "/v1/leases/" + lease.text("leaseId") + "/events")) {
            events.await("held", 8);
            assertThat(wire.renew(lease.text("leaseId")).status()).isEqualTo(200);
        }
    }

    @Test
    void aClientHasSoManyStreamsAndTheServerToo() throws IOException {
        HoldfastServer server = start(Limits.usual().withStreams(2, 3, 1 << 20));
        Wire wire = new Wire(server.uri());
        Reply lease = wire.acquire("a", "{\"lease\":\"600s\"}");
        String path = "/v1/leases/" + lease.text("leaseId") + "/events";
        try (Events one = new Events(server.address(), "/v1/events");
                Events two = new Events(server.address(), path)) {
            one.await("snapshot", 1);
            two.await("held", 1);
            for (String refused : List.of("/v1/events", path)) {
                assertThat(wire.get(refused).code()).isEqualTo("too-many");
                assertThat(wire.get(refused).status()).isEqualTo(429);
            }
        }
        await().until(() -> {
            try (Events again = new Events(server.address(), path)) {
                return again.isStream();
            }
        });
    }
}
