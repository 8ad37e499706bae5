package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.server.Wire.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What two instances of the server do on any store; each store has a class of its own, with a real server. */
abstract class StoreScenarios {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Servers servers;
    private HoldfastServer first;
    private Wire one;
    private Wire two;
    private boolean sessions;

    /** No test uses the names of another one. */
    private final String name = "scenario/" + UUID.randomUUID();

    /** {@return the store, which runs} */
    abstract String url();

    @BeforeEach
    void startInstances() {
        servers = new Servers(url());
        first = servers.start();
        one = new Wire(first.uri());
        two = servers.wire();
        sessions = one.get("/v1/store").text("expiry").equals("session");
    }

    @AfterEach
    void stopInstances() {
        servers.close();
    }

    private long token(Reply lease) {
        return Long.parseLong(lease.text("token"));
    }

    private boolean isHeld() {
        return !List.of().equals(one.get("/v1/locks/" + name).json().get("holders"));
    }

    @Test
    void takesRefusesRenewsAndReleases() {
        Reply lease = one.acquire(name, "{\"label\":\"x\"}");
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        assertThat(one.acquire(name, "{}").code()).isEqualTo("contended");
        assertThat(two.acquire(name, "{}").status()).isEqualTo(409);
        Reply renewed = one.renew(lease.text("leaseId"));
        assertThat(renewed.status()).as(renewed.toString()).isEqualTo(200);
        assertThat(renewed.text("token")).isEqualTo(lease.text("token"));
        assertThat(one.release(lease.text("leaseId")).status()).isEqualTo(204);
        assertThat(one.release(lease.text("leaseId")).code()).isEqualTo("lease-lost");
        assertThat(one.renew(lease.text("leaseId")).status()).isEqualTo(410);
        Reply next = two.acquire(name, "{}");
        assertThat(next.status()).as(next.toString()).isEqualTo(201);
        assertThat(token(next)).isGreaterThan(token(lease));
    }

    @Test
    void whoeverWaitsAtAnotherInstanceIsServed() {
        Reply holder = one.acquire(name, "{}");
        CompletableFuture<Reply> waiting = two.acquireLater(name, "{\"wait\":\"50s\"}", "Idempotency-Key", "k");
        CompletableFuture<Reply> unkeyed = two.acquireLater(name, "{\"wait\":\"50s\"}");
        assertThat(two.acquire(name, "{\"wait\":\"300ms\"}").code()).isEqualTo("contended");
        assertThat(waiting).isNotDone();
        assertThat(one.release(holder.text("leaseId")).status()).isEqualTo(204);

        Reply served = (Reply) CompletableFuture.anyOf(waiting, unkeyed).join();
        assertThat(served.status()).as(served.toString()).isEqualTo(201);
        assertThat(token(served)).isGreaterThan(token(holder));
        assertThat(two.renew(served.text("leaseId")).status()).isEqualTo(200);
        assertThat(two.release(served.text("leaseId")).status()).isEqualTo(204);
        Reply last = (waiting.isDone() && waiting.join().equals(served) ? unkeyed : waiting).join();
        assertThat(last.status()).as(last.toString()).isEqualTo(201);
        assertThat(token(last)).isGreaterThan(token(served));
    }

    @Test
    void aKeyFindsItsLeaseAgainWhereverThatLives() {
        Reply lease = one.acquireAs("key", name);
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        assertThat(one.acquireAs("key", name).text("leaseId")).isEqualTo(lease.text("leaseId"));
        Reply elsewhere = two.acquireAs("key", name);
        if (sessions) {
            assertThat(elsewhere.code()).as(elsewhere.toString()).isIn("lease-elsewhere", "contended");
            assertThat(two.renew(lease.text("leaseId")).status()).isEqualTo(421);
            assertThat(one.renew(lease.text("leaseId")).status()).isEqualTo(200);
        } else {
            assertThat(elsewhere.text("token")).as(elsewhere.toString()).isEqualTo(lease.text("token"));
            assertThat(two.renew(lease.text("leaseId")).status()).isEqualTo(200);
        }
        assertThat(two.acquireAs("another", name).code()).isEqualTo("contended");

        first.close();
        Wire restarted = servers.wire();
        if (sessions) {
            assertThat(restarted.renew(lease.text("leaseId")).code()).isEqualTo("lease-elsewhere");
            Reply next = restarted.acquire(name, "{\"wait\":\"50s\"}", "Idempotency-Key", "new");
            assertThat(next.status()).as(next.toString()).isEqualTo(201);
            assertThat(token(next)).isGreaterThan(token(lease));
        } else {
            assertThat(restarted.acquireAs("key", name).text("token")).isEqualTo(lease.text("token"));
            assertThat(restarted.release(lease.text("leaseId")).status()).isEqualTo(204);
        }
    }

    @Test
    void aKeyFindsWhatItWaitedFor() {
        Reply holder = one.acquire(name, "{}");
        CompletableFuture<Reply> waiting = two.acquireLater(name, "{\"wait\":\"50s\"}", "Idempotency-Key", "k");
        assertThat(two.acquire(name, "{\"wait\":\"200ms\"}").code()).isEqualTo("contended");
        one.release(holder.text("leaseId"));
        Reply lease = waiting.join();
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        Reply again = (sessions ? two : one).acquireAs("k", name);
        assertThat(again.status()).as(again.toString()).isEqualTo(201);
        assertThat(again.text("leaseId")).isEqualTo(lease.text("leaseId"));
        assertThat(again.json().get("repeated")).isEqualTo(true);
    }

    @Test
    void aLeaseThatNobodyRenewsEndsAndIsLost() {
        Reply lease = one.acquire(name, "{\"lease\":\"1s\"}");
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        Reply next = two.acquire(name, "{\"wait\":\"50s\"}");
        assertThat(next.status()).as(next.toString()).isEqualTo(201);
        assertThat(token(next)).isGreaterThan(token(lease));
        assertThat(one.renew(lease.text("leaseId")).code()).isEqualTo("lease-lost");
    }

    @Test
    void anEvictionIsToldByAnswerAndByEvent() throws IOException {
        Reply lease = one.acquire(name, "{\"lease\":\"20s\"}");
        Reply plain = one.acquire(name + "-2", "{\"lease\":\"20s\"}");
        try (Events events = new Events(first.address(), "/v1/leases/" + lease.text("leaseId") + "/events")) {
            events.await("held", 1);
            for (String each : List.of(name, name + "-2")) {
                Reply evicted = two.post("/v1/locks/" + each + "/evictions", "{\"reason\":\"hangs\"}");
                assertThat(evicted.status()).as(evicted.toString()).isEqualTo(200);
                assertThat(evicted.number("evicted")).isEqualTo(1);
            }
            assertThat(events.await("lost", 1)).contains("\"reason\"");
        }
        await().atMost(PATIENCE)
                .until(() -> one.renew(plain.text("leaseId")).code() != null
                        && one.renew(plain.text("leaseId")).code().equals("lease-lost"));
        await().atMost(PATIENCE).until(() -> !isHeld());
    }

    @Test
    void aClientOfTheLibraryAndOneOverHttpKeepEachOtherOut() throws InterruptedException {
        try (Holdfast locks = Holdfast.connect(url())) {
            Reply lease = one.acquire(name, "{}");
            assertThat(locks.lock(name).tryAcquire()).isEmpty();
            one.release(lease.text("leaseId"));
            try (var held = locks.lock(name).acquire()) {
                assertThat(held.token()).isGreaterThan(token(lease));
                assertThat(two.acquire(name, "{}").code()).isEqualTo("contended");
            }
        }
    }
}
