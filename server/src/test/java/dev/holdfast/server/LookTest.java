package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Wire.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What can be seen, and evictions. */
class LookTest {
    private final Servers servers = Servers.inMemory();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Wire wire = new Wire(servers.start(
                    options -> options.withLog((level, event, fields) -> log.add(level + " " + event + " " + fields)))
            .uri());

    @AfterEach
    void stop() {
        servers.close();
    }

    @SuppressWarnings("unchecked") // JSON
    private static List<Map<String, Object>> list(Map<String, Object> json, String member) {
        return (List<Map<String, Object>>) json.get(member);
    }

    @Test
    void listsPagesInOrder() {
        for (String name : List.of("b/2", "a/1", "b/1", "b/3", "c")) {
            wire.acquire(name, "{}");
        }
        List<String> seen = new ArrayList<>();
        String after = "";
        do {
            Reply page = wire.get("/v1/locks?prefix=b/&limit=2&after=" + after);
            assertThat(page.status()).as(page.toString()).isEqualTo(200);
            list(page.json(), "locks").forEach(lock -> seen.add((String) lock.get("name")));
            after = page.text("next");
        } while (after != null);
        assertThat(seen).containsExactly("b/1", "b/2", "b/3");
        for (String wrong : List.of("limit=0", "limit=x", "limit=10001", "what=1")) {
            assertThat(wire.get("/v1/locks?" + wrong).code()).isEqualTo("invalid");
        }
    }

    @Test
    void showsHoldersAndWaitersWithoutTheirTags() {
        Reply lease = wire.acquire("a/b", "{\"label\":\"nightly\"}");
        CompletableFuture<Reply> waiting =
                wire.acquireLater("a/b", "{\"wait\":\"20s\",\"label\":\"next\"}", "Idempotency-Key", "k");
        await().until(() -> list(wire.get("/v1/locks/a%2Fb").json(), "waiters").size() == 1);

        Map<String, Object> lock = wire.get("/v1/locks/a/b").json();
        assertThat(lock).containsEntry("name", "a/b").containsEntry("kind", "exclusive");
        assertThat(list(lock, "holders").get(0))
                .containsEntry("token", lease.text("token"))
                .containsEntry("client", "http@localhost")
                .containsEntry("label", "nightly")
                .containsKeys("heldMillis", "remainingMillis", "units");
        assertThat(list(lock, "waiters").get(0))
                .containsEntry("client", "http@localhost")
                .containsEntry("label", "next");
        waiting.cancel(true);
        assertThat(list(wire.get("/v1/locks/nobody").json(), "holders")).isEmpty();
    }

    @Test
    void evictsOneTokenAndWritesAnAuditLine() {
        Reply lease = wire.acquire("a", "{}");
        String path = "/v1/locks/a/evictions";
        assertThat(wire.post(path, "{}").code()).isEqualTo("invalid");
        assertThat(wire.post(path, "{\"reason\":\" \"}").code()).isEqualTo("invalid");
        assertThat(wire.post(path, "{\"reason\":\"x\",\"token\":\"99999999999999999999\"}")
                        .code())
                .isEqualTo("invalid");
        assertThat(wire.post(path, "{\"reason\":\"x\",\"token\":\"9223372036854775808\"}")
                        .code())
                .isEqualTo("invalid");
        // The largest token that there can be is nobody's as yet.
        for (String nobodys : List.of("9223372036854775807", "4096")) {
            assertThat(wire.post(path, "{\"reason\":\"hangs\",\"token\":\"" + nobodys + "\"}")
                            .json())
                    .as(nobodys)
                    .containsEntry("evicted", 0L);
        }
        assertThat(wire.renew(lease.text("leaseId")).status()).isEqualTo(200);

        Reply evicted = wire.post(path, "{\"reason\":\"hangs\\u202e\",\"token\":\"" + lease.text("token") + "\"}");
        assertThat(evicted.number("evicted")).isEqualTo(1);
        assertThat(wire.renew(lease.text("leaseId")).text("reason")).isEqualTo("evicted");
        assertThat(log.get(log.size() - 1))
                .startsWith("audit evict")
                .contains("name=a", "token=" + lease.text("token"), "by=anybody", "from=127.0.0.1", "evicted=1");
        assertThat(wire.get("/v1/locks/a").json().get("lastEviction")).isInstanceOf(Map.class);
    }

    @Test
    void tellsWhatTheStorePromisesAndWhoAsks() {
        Reply store = wire.get("/v1/store");
        assertThat(store.text("expiry")).isEqualTo("lease");
        assertThat(list(store.json(), "promises").get(0)).containsKeys("code", "kept", "text");
        assertThat(wire.get("/v1/me").json().get("roles")).isEqualTo(List.of("evict", "lock", "look"));
    }

    @Test
    void countsForPrometheus() {
        wire.acquire("a", "{}");
        wire.acquire("a", "{}");
        await().untilAsserted(() -> assertThat(wire.get("/metrics").http().body())
                .contains(
                        "holdfast_http_requests_total{operation=\"acquire\",status=\"201\"} 1",
                        "holdfast_http_requests_total{operation=\"acquire\",status=\"409\"} 1",
                        "# TYPE holdfast_http_request_seconds histogram",
                        "holdfast_http_request_seconds_count{operation=\"acquire\"} 2",
                        "holdfast_waiting_requests 0"));
        assertThat(wire.get("/health").text("status")).isEqualTo("ok");
    }
}
