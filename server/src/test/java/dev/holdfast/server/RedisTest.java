package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.server.Wire.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances on a real Redis. */
class RedisTest {
    @RegisterExtension
    private static final Rig RIG = new Rig();

    private static RedisNode redis;
    private static Servers servers;
    private static Holdfast store;
    private static Wire one;
    private static Wire two;

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(RIG);
        servers = new Servers(redis.url());
        store = Holdfast.connect(redis.url());
        one = servers.wire();
        two = servers.wire();
    }

    @AfterAll
    static void stop() {
        store.close();
        servers.close();
    }

    private static long waiters(String name) {
        return store.inspect(name).map(view -> view.waiters().size()).orElse(0);
    }

    @Test
    void whatOneInstanceGrantsTheOtherRenewsAndReleases() {
        Reply lease = one.acquireAs("key", "a");
        assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
        assertThat(lease.json().get("repeated")).isEqualTo(false);
        assertThat(two.acquire("a", "{}").code()).isEqualTo("contended");
        assertThat(two.acquireAs("key", "a").text("token")).isEqualTo(lease.text("token"));
        assertThat(two.renew(lease.text("leaseId")).status()).isEqualTo(200);
        assertThat(two.release(lease.text("leaseId")).status()).isEqualTo(204);
        assertThat(one.renew(lease.text("leaseId")).code()).isEqualTo("lease-lost");
    }

    @Test
    void waitingRequestsOfBothAreServedInOrderAndFound() {
        Reply holder = one.acquire("line", "{}");
        List<CompletableFuture<Reply>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int number = i;
            waiting.add((i % 2 == 0 ? one : two)
                    .acquireLater("line", "{\"wait\":\"40s\",\"lease\":\"10s\"}", "Idempotency-Key", "k" + i));
            await().until(() -> waiters("line") == number + 1);
        }
        String leaseId = holder.text("leaseId");
        for (int i = 0; i < 6; i++) {
            assertThat(one.release(leaseId).status()).isEqualTo(204);
            Reply lease = waiting.get(i).join();
            assertThat(lease.status()).as(lease.toString()).isEqualTo(201);
            Reply again = (i % 2 == 0 ? two : one)
                    .acquire("line", "{\"wait\":\"1s\",\"lease\":\"10s\"}", "Idempotency-Key", "k" + i);
            assertThat(again.text("leaseId")).as(again.toString()).isEqualTo(lease.text("leaseId"));
            assertThat(again.json().get("repeated")).isEqualTo(true);
            leaseId = lease.text("leaseId");
        }
    }

    @Test
    void theSameKeyAtBothAtOnceIsOneLease() {
        for (int round = 0; round < 20; round++) {
            String key = UUID.randomUUID().toString();
            CompletableFuture<Reply> here = one.acquireLater("both", "{\"wait\":\"9s\"}", "Idempotency-Key", key);
            CompletableFuture<Reply> there = two.acquireLater("both", "{\"wait\":\"9s\"}", "Idempotency-Key", key);
            assertThat(here.join().text("token")).isEqualTo(there.join().text("token"));
            assertThat(two.release(here.join().text("leaseId")).status()).isEqualTo(204);
        }
    }

    @Test
    void aStoreThatDoesNotAnswerIsSaidToBeSilentAndNotContended() throws InterruptedException {
        RedisNode other = RedisNode.start(RIG);
        try (Servers own = new Servers(other.url())) {
            Wire wire = new Wire(own.start(options -> options.withCommandTimeout(Duration.ofMillis(500)))
                    .uri());
            Reply lease = wire.acquire("a", "{}");
            other.server().kill();
            for (Reply reply : List.of(
                    wire.acquire("b", "{}"),
                    wire.acquireAs("key", "b"),
                    wire.acquire("b", "{\"wait\":\"100ms\"}"),
                    wire.renew(lease.text("leaseId")),
                    wire.release(lease.text("leaseId")))) {
                assertThat(reply.status()).as(reply.toString()).isEqualTo(503);
                assertThat(reply.code()).isEqualTo("cannot-tell");
                assertThat(reply.http().body()).doesNotContain("Exception");
            }
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> wire.get("/health").status() == 503);
        }
    }
}
