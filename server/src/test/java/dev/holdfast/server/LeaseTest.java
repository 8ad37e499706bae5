package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.server.Wire.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases over the wire, on a store in memory that two instances share. */
class LeaseTest {
    private static final String WAITING = "{\"wait\":\"30s\"}";
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String url = "memory:lease-test-" + NUMBER.incrementAndGet();
    private final Servers servers = new Servers(url);

    /** Looks at the store from outside, and keeps it alive. */
    private Holdfast store;

    private Wire wire;

    @BeforeEach
    void start() {
        store = Holdfast.connect(url);
        wire = servers.wire();
    }

    @AfterEach
    void stop() {
        servers.close();
        store.close();
    }

    private boolean isFree(String name) {
        return store.inspect(name).map(view -> view.holders().isEmpty()).orElse(true);
    }

    private long waiters(String name) {
        return store.inspect(name).map(view -> view.waiters().size()).orElse(0);
    }

    @Test
    void acquiresRenewsAndReleases() {
        Reply lease = wire.acquire("orders/42", "{\"lease\":\"10s\",\"label\":\"nightly\"}");

        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        assertThat(lease.text("name")).isEqualTo("orders/42");
        assertThat(lease.json().get("names")).isEqualTo(List.of("orders/42"));
        assertThat(lease.json().get("tokens")).isEqualTo(Map.of("orders/42", lease.text("token")));
        assertThat(Long.parseLong(lease.text("token"))).isPositive();
        assertThat(lease.number("leaseMillis")).isEqualTo(10_000);
        assertThat(lease.number("remainingMillis")).isPositive().isLessThan(10_000);
        assertThat(lease.json().get("repeated")).isEqualTo(false);
        assertThat(store.inspect("orders/42").orElseThrow().holders().get(0).label())
                .isEqualTo("nightly");
        assertThat(Long.toString(store.inspect("orders/42")
                        .orElseThrow()
                        .holders()
                        .get(0)
                        .token()))
                .isEqualTo(lease.text("token"));

        Reply renewed = wire.renew(lease.text("leaseId"));
        assertThat(renewed.status()).as(renewed.toString()).isEqualTo(200);
        assertThat(renewed.text("token")).isEqualTo(lease.text("token"));

        assertThat(wire.release(lease.text("leaseId")).status()).isEqualTo(204);
        assertThat(isFree("orders/42")).isTrue();
        assertThat(wire.release(lease.text("leaseId")).code()).isEqualTo("lease-lost");
        assertThat(wire.renew(lease.text("leaseId")).status()).isEqualTo(410);
    }

    @Test
    void refusesWhatSomebodyElseHolds() {
        Reply first = wire.acquire("a", "{}");
        Reply second = wire.acquire("a", "{}");

        assertThat(second.status()).isEqualTo(409);
        assertThat(second.code()).isEqualTo("contended");
        assertThat(second.http().headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(wire.release(first.text("leaseId")).status()).isEqualTo(204);
        Reply third = wire.acquire("a", "{}");
        assertThat(third.status()).isEqualTo(201);
        assertThat(Long.parseLong(third.text("token"))).isGreaterThan(Long.parseLong(first.text("token")));
    }

    @Test
    void theTimesAreCountedFromBeforeTheRequestAndFromTheAnswer() throws InterruptedException {
        Reply first = wire.acquire("a", "{\"lease\":\"20s\"}");
        long sent = System.nanoTime();
        CompletableFuture<Reply> second = wire.acquireLater("a", "{\"wait\":\"30s\",\"lease\":\"20s\"}");
        await().until(() -> waiters("a") == 1);
        Thread.sleep(300); // what has to be counted
        wire.release(first.text("leaseId"));
        Reply lease = second.join();

        long waitedMillis = (System.nanoTime() - sent) / 1_000_000;
        assertThat(lease.number("validForMillis") - lease.number("remainingMillis"))
                .isBetween(300L, waitedMillis + 1);
        assertThat(lease.number("remainingMillis")).isLessThan(20_000);
    }

    @Test
    void aWaitingRequestIsServedWhenTheHolderLeaves() {
        Reply holder = wire.acquire("a", "{}");
        CompletableFuture<Reply> waiting = wire.acquireLater("a", WAITING);
        await().until(() -> waiters("a") == 1);

        wire.release(holder.text("leaseId"));
        Reply served = waiting.join();
        assertThat(served.status()).as(served.toString()).isEqualTo(201);
        assertThat(wire.renew(served.text("leaseId")).status()).isEqualTo(200);
    }

    @Test
    void waitingRequestsAreServedInOrderByBothInstances() {
        Wire other = servers.wire();
        Reply holder = wire.acquire("a", "{}");
        List<CompletableFuture<Reply>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            Wire one = i % 2 == 0 ? wire : other;
            waiting.add(
                    i % 3 == 0
                            ? one.acquireLater("a", WAITING, "Idempotency-Key", "k" + i)
                            : one.acquireLater("a", WAITING));
            await().until(() -> waiters("a") == number + 1);
        }
        String leaseId = holder.text("leaseId");
        long token = Long.parseLong(holder.text("token"));
        for (CompletableFuture<Reply> next : waiting) {
            assertThat(next).isNotDone();
            wire.release(leaseId);
            Reply lease = next.join();
            assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
            assertThat(Long.parseLong(lease.text("token"))).isGreaterThan(token);
            leaseId = lease.text("leaseId");
            token = Long.parseLong(lease.text("token"));
        }
    }

    @Test
    void aWaitEndsWithContendedAndLeavesNothing() {
        wire.acquire("a", "{}");
        assertThat(wire.acquire("a", "{\"wait\":\"50ms\"}").code()).isEqualTo("contended");
        assertThat(wire.acquire("a", "{\"wait\":\"50ms\"}", "Idempotency-Key", "k")
                        .code())
                .isEqualTo("contended");
        await().until(() -> waiters("a") == 0);
    }

    @Test
    void aClientThatGoesLeavesTheLine() {
        Reply holder = wire.acquire("a", "{}");
        CompletableFuture<Reply> leaver = wire.acquireLater("a", WAITING);
        CompletableFuture<Reply> keyed = wire.acquireLater("a", WAITING, "Idempotency-Key", "k");
        await().until(() -> waiters("a") == 2);
        leaver.cancel(true);
        keyed.cancel(true);
        await().until(() -> waiters("a") == 0);

        wire.release(holder.text("leaseId"));
        assertThat(wire.acquire("a", "{}").status()).isEqualTo(201);
    }

    @Test
    void aRepeatedRequestFindsItsLeaseAtAnyInstanceAndAfterARestart() {
        Reply lease = wire.acquireAs("key-1", "a");
        Reply again = wire.acquireAs("key-1", "a");
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.text("token")).isEqualTo(lease.text("token"));
        assertThat(again.json().get("repeated")).isEqualTo(true);

        HoldfastServer second = servers.start();
        Wire other = new Wire(second.uri());
        assertThat(other.acquireAs("key-1", "a").text("token")).isEqualTo(lease.text("token"));
        second.close();
        Wire restarted = servers.wire();
        assertThat(restarted.acquireAs("key-1", "a").text("token")).isEqualTo(lease.text("token"));
        assertThat(restarted.acquireAs("key-2", "a").code()).isEqualTo("contended");
        assertThat(restarted.renew(lease.text("leaseId")).status()).isEqualTo(200);
        assertThat(restarted.release(lease.text("leaseId")).status()).isEqualTo(204);
        assertThat(isFree("a")).isTrue();
    }

    @Test
    void aRepeatedRequestFindsTheLeaseThatAnEarlierOneWaitedFor() {
        Wire other = servers.wire();
        for (String body : List.of(WAITING, "{\"wait\":\"30s\",\"kind\":\"permit\",\"capacity\":2,\"permits\":2}")) {
            String name = "n" + body.length();
            Reply holder = wire.acquire(name, body);
            CompletableFuture<Reply> waiting = wire.acquireLater(name, body, "Idempotency-Key", "k");
            await().until(() -> waiters(name) == 1);
            wire.release(holder.text("leaseId"));
            Reply lease = waiting.join();
            assertThat(lease.status()).as(lease.toString()).isEqualTo(201);

            Reply again = other.acquire(name, body, "Idempotency-Key", "k");
            assertThat(again.status()).as(again.toString()).isEqualTo(201);
            assertThat(again.text("token")).isEqualTo(lease.text("token"));
            assertThat(again.text("leaseId")).isEqualTo(lease.text("leaseId"));
            assertThat(again.json().get("repeated")).isEqualTo(true);
            assertThat(other.release(again.text("leaseId")).status()).isEqualTo(204);
        }
    }

    @Test
    void aRepeatedRequestThatDoesNotWaitFindsTheLeaseThatAnEarlierOneWaitedFor() {
        Wire other = servers.wire();
        Reply holder = wire.acquire("a", "{}");
        CompletableFuture<Reply> waiting = wire.acquireLater("a", WAITING, "Idempotency-Key", "k");
        await().until(() -> waiters("a") == 1);
        wire.release(holder.text("leaseId"));
        Reply lease = waiting.join();

        // The time of a client may be over when it repeats its request.
        for (Wire any : List.of(wire, other)) {
            Reply again = any.acquireAs("k", "a");
            assertThat(again.status()).as(again.toString()).isEqualTo(201);
            assertThat(again.text("leaseId")).isEqualTo(lease.text("leaseId"));
        }
        assertThat(other.acquireAs("another", "a").code()).isEqualTo("contended");
    }

    @Test
    void theSameKeyAtTwoInstancesAtOnceGetsOneLease() {
        Wire other = servers.wire();
        for (int round = 0; round < 20; round++) {
            String key = "k" + round;
            CompletableFuture<Reply> here = wire.acquireLater("a", WAITING, "Idempotency-Key", key);
            CompletableFuture<Reply> there = other.acquireLater("a", WAITING, "Idempotency-Key", key);
            assertThat(here.join().text("token"))
                    .as("round " + round)
                    .isEqualTo(there.join().text("token"));
            assertThat(wire.release(here.join().text("leaseId")).status()).isEqualTo(204);
        }
    }

    @Test
    void aDeadLookAlikeOfARequestDoesNotTakeItsLeaseAway() {
        Wire other = servers.wire();
        Reply holder = wire.acquire("a", "{}");
        CompletableFuture<Reply> cutOff = wire.acquireLater("a", WAITING, "Idempotency-Key", "k");
        await().until(() -> waiters("a") == 1);
        CompletableFuture<Reply> repeated = other.acquireLater("a", WAITING, "Idempotency-Key", "k");
        await().until(() -> waiters("a") == 2);

        wire.release(holder.text("leaseId"));
        cutOff.cancel(true);
        Reply lease = repeated.join();
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        await().during(Duration.ofMillis(300))
                .atMost(Duration.ofSeconds(20))
                .until(() -> store.inspect("a").orElseThrow().holders().size() == 1);
        assertThat(other.renew(lease.text("leaseId")).status()).isEqualTo(200);
    }

    @Test
    void aLeaseThatNobodyRenewsEnds() {
        Reply lease = wire.acquire("a", "{\"lease\":\"1s\"}");
        await().atMost(Duration.ofSeconds(20)).until(() -> isFree("a"));
        assertThat(wire.renew(lease.text("leaseId")).code()).isEqualTo("lease-lost");
        assertThat(wire.renew(lease.text("leaseId")).text("reason")).isEqualTo("expired");
    }

    @Test
    void anEvictedLeaseIsLost() {
        Reply lease = wire.acquire("a", "{}");
        store.evict("a", "hangs");
        assertThat(wire.renew(lease.text("leaseId")).text("reason")).isEqualTo("evicted");
    }

    @Test
    void readersAndPermitsShare() {
        String read = "{\"kind\":\"read\"}";
        assertThat(wire.acquire("c", read).status()).isEqualTo(201);
        Reply second = wire.acquire("c", read);
        assertThat(second.status()).isEqualTo(201);
        assertThat(wire.acquire("c", "{\"kind\":\"write\"}").code()).isEqualTo("contended");
        assertThat(wire.acquire("c", "{}").code()).isEqualTo("mismatch");

        String permits = "{\"kind\":\"permit\",\"capacity\":3,\"permits\":2}";
        Reply two = wire.acquire("p", permits);
        assertThat(two.number("permits")).isEqualTo(2);
        assertThat(wire.acquire("p", permits).code()).isEqualTo("contended");
        assertThat(wire.acquire("p", "{\"kind\":\"permit\",\"capacity\":3}").status())
                .isEqualTo(201);
    }

    @Test
    void severalNamesAreAllOrNothing() {
        Reply all = wire.acquire("b", "{\"names\":[\"c\",\"a\"]}", "Idempotency-Key", "k");
        assertThat(all.status()).as(all.toString()).isEqualTo(201);
        assertThat(all.text("name")).isEqualTo("b");
        assertThat(all.json().get("names")).isEqualTo(List.of("b", "a", "c"));
        assertThat(wire.acquire("c", "{}").code()).isEqualTo("contended");
        assertThat(wire.acquire("b", "{\"names\":[\"a\",\"c\"]}", "Idempotency-Key", "k")
                        .text("leaseId"))
                .isEqualTo(all.text("leaseId"));
        store.evict("a", "test");
        assertThat(wire.renew(all.text("leaseId")).status()).isEqualTo(410);
        assertThat(isFree("b")).isTrue();
    }

    @Test
    void stoppingAnswersWaitingRequests() {
        HoldfastServer second = servers.start();
        Wire other = new Wire(second.uri());
        wire.acquire("a", "{}");
        CompletableFuture<Reply> waiting = other.acquireLater("a", WAITING);
        await().until(() -> waiters("a") == 1);
        second.close();
        assertThat(waiting.join().code()).isEqualTo("unavailable");
        assertThat(waiters("a")).isZero();
    }
}
