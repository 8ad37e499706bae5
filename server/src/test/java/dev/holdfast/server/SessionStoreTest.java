package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.server.Wire.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On files a lock lives in the session of the instance that granted it, which ends leases itself. */
class SessionStoreTest {
    @TempDir
    private Path directory;

    private Servers servers;
    private HoldfastServer server;
    private Wire wire;

    @BeforeEach
    void start() {
        servers = new Servers("file:" + directory.resolve("locks"));
        server = servers.start();
        wire = new Wire(server.uri());
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private boolean isHeld(String name) {
        return !List.of().equals(wire.get("/v1/locks/" + name).json().get("holders"));
    }

    @Test
    void aLeaseThatNobodyRenewsIsEndedByTheInstance() {
        Reply lease = wire.acquire("a", "{\"lease\":\"1s\"}");
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        assertThat(wire.renew(lease.text("leaseId")).status()).isEqualTo(200);
        await().atMost(Duration.ofSeconds(30)).until(() -> !isHeld("a"));
        assertThat(wire.renew(lease.text("leaseId")).code()).isEqualTo("lease-lost");
    }

    @Test
    void aKeyFindsItsLeaseAndALeaseIdOfAnEarlierGrantDoesNothing() {
        Reply first = wire.acquireAs("key", "a");
        assertThat(wire.acquireAs("key", "a").text("leaseId")).isEqualTo(first.text("leaseId"));
        CompletableFuture<Reply> waiting = wire.acquireLater("a", "{\"wait\":\"30s\"}", "Idempotency-Key", "other");
        await().until(() -> !List.of().equals(wire.get("/v1/locks/a").json().get("waiters")));
        wire.release(first.text("leaseId"));
        Reply served = waiting.join();
        assertThat(served.status()).as(served.toString()).isEqualTo(201);
        assertThat(wire.acquire("a", "{\"wait\":\"5s\"}", "Idempotency-Key", "other")
                        .text("leaseId"))
                .isEqualTo(served.text("leaseId"));
        assertThat(wire.release(served.text("leaseId")).status()).isEqualTo(204);

        Reply second = wire.acquireAs("key", "a");
        assertThat(wire.release(first.text("leaseId")).code()).isEqualTo("lease-lost");
        assertThat(wire.renew(first.text("leaseId")).code()).isEqualTo("lease-lost");
        assertThat(wire.renew(second.text("leaseId")).status()).isEqualTo(200);
    }

    @Test
    void theLogSaysThatSeveralInstancesNeedStickiness() {
        List<String> log = new CopyOnWriteArrayList<>();
        servers.start(
                options -> options.withLog((level, event, fields) -> log.add(level + " " + event + " " + fields)));
        assertThat(log).anyMatch(line -> line.startsWith("warn leases live in this instance"));
        log.clear();
        try (Servers leases = Servers.inMemory()) {
            leases.start(options -> options.withLog((level, event, fields) -> log.add(level + " " + event)));
            assertThat(log).noneMatch(line -> line.startsWith("warn"));
        }
    }

    @Test
    void theTagThatOtherInstancesReadIsNotShown() {
        wire.acquireAs("key", "a");
        assertThat(wire.get("/v1/locks/a").http().body()).contains("\"client\":\"http@localhost\"");
    }

    @Test
    void anotherInstanceSaysThatTheLeaseIsElsewhere() {
        Wire other = servers.wire();
        Reply lease = wire.acquireAs("key", "a");
        assertThat(other.renew(lease.text("leaseId")).code()).isEqualTo("lease-elsewhere");
        assertThat(other.release(lease.text("leaseId")).status()).isEqualTo(421);
        // Whoever repeats its request is not told that somebody else has the lock.
        assertThat(other.acquireAs("key", "a").code()).isEqualTo("lease-elsewhere");
        assertThat(other.acquire("a", "{\"wait\":\"10s\"}", "Idempotency-Key", "key")
                        .status())
                .isEqualTo(421);
        assertThat(other.acquireAs("other", "a").code()).isEqualTo("contended");
        server.close();
        Reply next = other.acquire("a", "{\"wait\":\"30s\"}");
        assertThat(next.status()).as(next.toString()).isEqualTo(201);
    }
}
