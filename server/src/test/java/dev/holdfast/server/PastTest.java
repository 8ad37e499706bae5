package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.server.Wire.Reply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the server tells of the last minutes of a lock, though nobody had looked at it then. */
@SuppressWarnings("unchecked") // JSON
class PastTest {
    private static final String URL = "memory:past-test";

    private final Servers servers = new Servers(URL);
    private final Wire wire = servers.wire();

    @AfterEach
    void stop() {
        servers.close();
    }

    private static List<Map<String, Object>> grants(Wire server, String name) {
        Reply reply = server.get("/v1/history?name=" + name);
        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        return (List<Map<String, Object>>) reply.json().get("grants");
    }

    private static Optional<Map<String, Object>> grant(Wire server, String name, String token) {
        return grants(server, name).stream()
                .filter(each -> token.equals(each.get("token")))
                .findFirst();
    }

    private static void awaitEnd(Wire server, String name, String token, String end) {
        await().until(() -> grant(server, name, token)
                .filter(each -> end.equals(each.get("end")))
                .isPresent());
    }

    @Test
    void whatWentThroughThisInstanceIsToldHoweverShortItWas() {
        Reply lease = wire.acquire("p/own", "{\"label\":\"import\"}");
        assertThat(grants(wire, "p/own"))
                .singleElement()
                .satisfies(held -> assertThat(held)
                        .containsEntry("token", lease.text("token"))
                        .containsEntry("client", "http@localhost")
                        .containsEntry("label", "import")
                        .containsEntry("end", null)
                        .containsEntry("endedAgoMillis", null));
        wire.release(lease.text("leaseId"));
        assertThat(grants(wire, "p/own"))
                .singleElement()
                .satisfies(past ->
                        assertThat(past).containsEntry("end", "released").containsEntry("exact", true));
    }

    @Test
    void anEvictionIsToldWithWhoAndWhy() {
        Reply lease = wire.acquire("p/evicted", "{}");
        wire.post("/v1/locks/p/evicted/evictions", "{\"reason\":\"hangs\"}");
        assertThat(grants(wire, "p/evicted"))
                .singleElement()
                .satisfies(past -> assertThat(past)
                        .containsEntry("token", lease.text("token"))
                        .containsEntry("end", "evicted")
                        .containsEntry("by", "http@localhost")
                        .containsEntry("why", "hangs"));
    }

    @Test
    void whatOthersDidIsSeenByLookingThoughNobodyListens() {
        try (Holdfast locks = Holdfast.builder().url(URL).clientName("java").build()) {
            Lease lease = locks.lock("p/java").tryAcquire().orElseThrow();
            String token = Long.toString(lease.token());
            await().until(() -> grant(wire, "p/java", token).isPresent());
            lease.close();
            awaitEnd(wire, "p/java", token, "released");
            assertThat(grant(wire, "p/java", token).orElseThrow())
                    .containsEntry("client", "java")
                    .containsEntry("exact", false);

            Lease other = locks.lock("p/java").tryAcquire().orElseThrow();
            String next = Long.toString(other.token());
            await().until(() -> grant(wire, "p/java", next).isPresent());
            locks.evict("p/java", "a test");
            awaitEnd(wire, "p/java", next, "evicted");
            assertThat(grant(wire, "p/java", next).orElseThrow()).containsEntry("why", "a test");
        }
    }

    @Test
    void aLeaseThatRanOutIsNotToldAsReleased() {
        Reply lease = wire.acquire("p/expired", "{\"lease\":\"1s\"}");
        await().until(() -> grants(wire, "p/expired").get(0).get("end") != null);
        assertThat(grant(wire, "p/expired", lease.text("token")).orElseThrow().get("end"))
                .isIn("expired", "unseen");
    }

    @Test
    void anotherInstanceSeesTheSameByLooking() {
        Wire other = servers.wire();
        Reply lease = wire.acquire("p/two", "{}");
        await().until(() -> grant(other, "p/two", lease.text("token")).isPresent());
        wire.release(lease.text("leaseId"));
        awaitEnd(other, "p/two", lease.text("token"), "released");
        assertThat(grant(other, "p/two", lease.text("token")).orElseThrow()).containsEntry("exact", false);
        assertThat(grant(wire, "p/two", lease.text("token")).orElseThrow()).containsEntry("exact", true);
    }

    @Test
    void theQueryNamesOneLock() {
        assertThat(wire.get("/v1/history").code()).isEqualTo("invalid");
        assertThat(wire.get("/v1/history?name=a&x=y").code()).isEqualTo("invalid");
        Reply unknown = wire.get("/v1/history?name=%3Cscript%3E%E2%80%AE");
        assertThat(unknown.json()).containsEntry("grants", List.of()).containsEntry("waiting", List.of());
        assertThat(unknown.http().body()).doesNotContain("<", "\u202e");
        assertThat(unknown.number("sinceMillis")).isNotNegative();
    }
}
