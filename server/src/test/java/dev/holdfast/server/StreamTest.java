package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Wire.Reply;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Event streams: those that keep a lease, and that of the whole server. */
class StreamTest {
    private final Servers servers = Servers.inMemory();
    private final HoldfastServer server =
            servers.start(options -> options.withLimits(Limits.usual().withStreams(3, 3, 1 << 20)));
    private final Wire wire = new Wire(server.uri());

    @AfterEach
    void stop() {
        servers.close();
    }

    private Events open(Reply lease, String query) throws IOException {
        return new Events(server.address(), "/v1/leases/" + lease.text("leaseId") + "/events" + query);
    }

    private boolean isHeld(String name) {
        return !List.of().equals(wire.get("/v1/locks/" + name).json().get("holders"));
    }

    @Test
    void anOpenStreamRenewsAndAClosedOneLetsTheLeaseEnd() throws IOException {
        Reply lease = wire.acquire("a", "{\"lease\":\"1s\"}");
        try (Events events = open(lease, "")) {
            events.await("held", 5);
            assertThat(wire.renew(lease.text("leaseId")).status()).isEqualTo(200);
        }
        await().until(() -> !isHeld("a"));
    }

    @Test
    void aClosedStreamReleasesIfItWasAskedTo() throws IOException {
        Reply lease = wire.acquire("a", "{\"lease\":\"600s\"}");
        try (Events events = open(lease, "?release=true")) {
            events.await("held", 1);
        }
        await().until(() -> !isHeld("a"));

        Reply other = wire.acquire("a", "{\"lease\":\"600s\"}");
        assertThat(other.status()).isEqualTo(201);
        try (Events events = open(other, "?release=false")) {
            events.await("held", 1);
        }
        assertThat(wire.renew(other.text("leaseId")).status()).isEqualTo(200);
    }

    @Test
    void tellsTheLossAtOnceAndTheRelease() throws IOException {
        Reply lease = wire.acquire("a", "{\"lease\":\"600s\"}");
        try (Events events = open(lease, "?release=true")) {
            events.await("held", 1);
            wire.post("/v1/locks/a/evictions", "{\"reason\":\"hangs\"}");
            assertThat(events.await("lost", 1)).contains("\"reason\":\"evicted\"");
            assertThat(events.readToTheEnd()).isTrue();
        }
        Reply other = wire.acquire("a", "{\"lease\":\"600s\"}");
        try (Events events = open(other, "")) {
            events.await("held", 1);
            wire.release(other.text("leaseId"));
            events.await("released", 1);
        }
        assertThat(wire.get("/v1/leases/" + lease.text("leaseId") + "/events").code())
                .isEqualTo("lease-lost");
        assertThat(wire.get("/v1/leases/" + lease.text("leaseId") + "/events?x=1")
                        .code())
                .isEqualTo("invalid");
    }

    @Test
    void tellsOfAllLocks() throws IOException {
        wire.acquire("a/1", "{}");
        wire.acquire("b", "{}");
        try (Events events = new Events(server.address(), "/v1/events?prefix=a/")) {
            assertThat(events.await("snapshot", 1))
                    .contains("\"name\":\"a/1\"", "\"last\":true")
                    .doesNotContain("\"b\"");
            Reply second = wire.acquire("a/2", "{}");
            assertThat(events.await("changed", 1)).contains(second.text("token"));
            wire.post("/v1/locks/a/2/evictions", "{\"reason\":\"because\"}");
            assertThat(events.await("loss", 1))
                    .contains(
                            "\"name\":\"a/2\"", second.text("token"), "\"reason\":\"evicted\"", "\"why\":\"because\"");
            assertThat(events.await("gone", 1)).contains("a/2");
            server.close();
            events.await("stopping", 1);
        }
    }

    @Test
    void thereAreSoManyStreamsAndNoMore() throws IOException {
        try (Events one = new Events(server.address(), "/v1/events");
                Events two = new Events(server.address(), "/v1/events")) {
            one.await("snapshot", 1);
            two.await("snapshot", 1);
            try (Events three = new Events(server.address(), "/v1/events")) {
                three.await("snapshot", 1);
                assertThat(wire.get("/v1/events").code()).isEqualTo("too-many");
            }
            await().until(() -> {
                try (Events again = new Events(server.address(), "/v1/events")) {
                    return again.isStream();
                }
            });
        }
    }

    @Test
    void stoppingTellsAndKeepsTheLease() throws IOException {
        Reply lease = wire.acquire("a", "{\"lease\":\"60s\"}");
        HoldfastServer second = servers.start();
        try (Events events =
                new Events(second.address(), "/v1/leases/" + lease.text("leaseId") + "/events?release=true")) {
            events.await("held", 1);
            second.close();
            events.await("stopping", 1);
        }
        assertThat(wire.renew(lease.text("leaseId")).status()).isEqualTo(200);
    }
}
