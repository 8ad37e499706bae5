package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.LockOptions;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.redis.RedisNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Long lines, dead waiters, many readers, and lines that lose a key. */
final class LineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final int MANY = 1_000;
    private static final int MANY_AT_ONCE = 100;
    private static final int READERS = 100;

    @RegisterExtension
    static final Rig rig = new Rig();

    private static RedisNode redis;

    private final List<BareClient> bare = new ArrayList<>();

    @BeforeAll
    static void start() throws InterruptedException {
        redis = RedisNode.start(rig);
    }

    @BeforeEach
    void empty() {
        redis.ask("FLUSHALL");
    }

    @AfterEach
    void close() {
        bare.forEach(BareClient::close);
    }

    /** A kept lease goes back when its holder hears that it is wanted; one whose subscription is down has not heard it. */
    @Test
    void firstInLineAsksAgainSoonWhileTheHolderCannotBeTold() {
        BareClient deaf = client();
        deaf.take(BareClient.claim(LEASE, "deaf"));
        deaf.close();
        BareClient client = client();
        Claim first = BareClient.claim(LEASE, "deaf");
        Claim second = BareClient.claim(LEASE, "deaf");

        assertThat(hint(client.store().tryAcquire(first))).isLessThan(Duration.ofSeconds(1));
        assertThat(hint(client.store().tryAcquire(second))).isGreaterThan(Duration.ofSeconds(2));
        assertThat(hint(client.store().poll(List.of(first)).get(0))).isLessThan(Duration.ofSeconds(1));
        assertThat(hint(client.store().poll(List.of(second)).get(0))).isGreaterThan(Duration.ofSeconds(2));
    }

    /** Its connection may have died in silence, so that not even the server knows that it does not hear. */
    @Test
    void firstInLineTellsTheHolderAgainFromTimeToTime() {
        BareClient client = client();
        client.take(BareClient.claim(LEASE, "told"));
        Claim first = BareClient.claim(LEASE, "told");
        Claim second = BareClient.claim(LEASE, "told");

        assertThat(hint(client.store().tryAcquire(first))).isLessThan(Duration.ofSeconds(2));
        assertThat(hint(client.store().tryAcquire(second))).isGreaterThan(Duration.ofSeconds(2));
        assertThat(hint(client.store().poll(List.of(first)).get(0))).isLessThan(Duration.ofSeconds(2));
        await().until(() -> client.wanted.size() >= 3);
    }

    private static Duration hint(AcquireOutcome outcome) {
        return ((AcquireOutcome.Contended) outcome).retryHint();
    }

    @Test
    void joiningALineAndHandingOverTakeTheShortPaths() {
        BareClient client = client();
        List<Grant> held = client.take(BareClient.claim(LEASE, "short"));
        assertThat(client.store().tryAcquire(BareClient.claim(LEASE, "short")))
                .isInstanceOf(AcquireOutcome.Contended.class);
        CommandCounts.reset(redis);
        assertThat(client.store().tryAcquire(BareClient.claim(LEASE, "short")))
                .isInstanceOf(AcquireOutcome.Contended.class);
        client.store().release(held);
        await().atMost(PATIENCE).until(() -> client.pushed.size() == 1);

        assertThat(CommandCounts.of(redis))
                .containsEntry("evalsha", 2L)
                .containsEntry("zadd", 1L)
                .containsEntry("zrem", 1L)
                .as("the common scripts ask this, the short paths do not")
                .doesNotContainKey("exists");
    }

    @Test
    void handedOverLeaseIsRenewedBeyondItsProvisionalTime() throws InterruptedException {
        LockOptions longer = LockOptions.defaults().withLeaseTime(Duration.ofSeconds(4));
        try (Holdfast first = Holdfast.connect(redis.url());
                Holdfast second = Holdfast.connect(redis.url())) {
            Lease held = first.lock("handed", longer).acquire();
            CompletableFuture<Lease> waiter = second.lock("handed", longer).acquireAsync();
            await().atMost(PATIENCE)
                    .until(() -> first.inspect("handed").orElseThrow().waiters().size() == 1);
            assertThat(held.release()).isTrue();

            Outcomes.outlives(Outcomes.of(waiter), longer);
        }
    }

    @Test
    void thousandWaitersAreServedInOrderEachByItsPredecessor() {
        BareClient client = client();
        List<Grant> held = client.take(BareClient.claim(LEASE, "long"));
        List<Claim> line = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Claim claim = BareClient.claim(LEASE, "long");
            assertThat(client.store().tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
            line.add(claim);
        }
        List<Grant> next = held;
        for (Claim claim : line) {
            int before = client.pushed.size();
            if (before % MANY_AT_ONCE == 0) {
                // A waiter that does not ask for long loses its place; a client asks for all of its waiters at once.
                assertThat(client.store().poll(line.subList(before, MANY)))
                        .hasOnlyElementsOfType(AcquireOutcome.Contended.class);
            }
            client.store().release(next);
            await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(() -> client.pushed.size() > before);
            next = List.copyOf(client.pushed).get(before);
            assertThat(next.get(0).owner()).isEqualTo(claim.owner());
        }
        assertThat(client.pushed).hasSize(MANY);
    }

    @Test
    void waitersThatAreGoneAreSkippedAtOnceHoweverMany() throws InterruptedException {
        BareClient living = client();
        List<Grant> held = living.take(BareClient.claim(LEASE, "gone"));
        for (int i = 0; i < 5; i++) {
            BareClient dead = client();
            dead.store().tryAcquire(BareClient.claim(LEASE, "gone"));
            dead.close();
        }
        await().until(() -> redis.ask("PUBSUB", "CHANNELS").toString().split(",").length == 1);
        Claim behind = BareClient.claim(LEASE, "gone");
        living.store().tryAcquire(behind);
        living.store().release(held);

        // One of five would hold the lock for the whole of its provisional lease of three seconds.
        await().atMost(Duration.ofSeconds(2)).until(() -> !living.pushed.isEmpty());
        assertThat(living.pushed.peek().get(0).owner()).isEqualTo(behind.owner());
    }

    @Test
    void waiterThatCannotBeToldKeepsItsPlaceAndIsServedWhenItAsks() {
        BareClient holder = client();
        List<Grant> held = holder.take(BareClient.claim(LEASE, "deaf"));
        BareClient deaf = client();
        Claim first = BareClient.claim(LEASE, "deaf");
        deaf.store().tryAcquire(first);
        deaf.close();
        BareClient second = client();
        Claim behind = BareClient.claim(LEASE, "deaf");
        second.store().tryAcquire(behind);
        holder.store().release(held);
        await().until(() -> !second.pushed.isEmpty());
        // The first comes back, with the same claim; it goes before anybody who came later.
        BareClient back = client();
        assertThat(back.isGranted(first)).isFalse();
        Claim newcomer = BareClient.claim(LEASE, "deaf");
        holder.store().tryAcquire(newcomer);
        second.store().release(second.pushed.peek());

        await().until(() -> back.isGranted(first));
        assertThat(holder.isGranted(newcomer)).isFalse();
    }

    @Test
    void writerThatReleasesLetsAllReadersInAtOnce() {
        BareClient client = client();
        List<Grant> writer = client.take(readWrite(Claim.MANY));
        for (int i = 0; i < READERS; i++) {
            client.store().tryAcquire(readWrite(1));
        }
        Claim last = readWrite(Claim.MANY);
        client.store().tryAcquire(last);
        client.store().release(writer);
        await().until(() -> client.pushed.size() == READERS);

        assertThat(client.isGranted(last)).isFalse();
        List.copyOf(client.pushed).forEach(client.store()::release);
        await().until(() -> client.isGranted(last));
    }

    @Test
    void waiterForSeveralNamesEntersAllLinesAgainWhenOneIsLost() {
        BareClient client = client();
        List<Grant> a = client.take(BareClient.claim(LEASE, "line/a"));
        List<Grant> b = client.take(BareClient.claim(LEASE, "line/b"));
        Claim both = BareClient.claim(LEASE, "line/a", "line/b");
        Claim onlyB = BareClient.claim(LEASE, "line/b");
        client.store().tryAcquire(both);
        client.store().tryAcquire(onlyB);
        redis.ask("DEL", "holdfast:{line/a}:q");
        assertThat(client.isGranted(both)).isFalse();
        assertThat(numberInLine("line/a", both))
                .as("one number in both lines")
                .isNotNull()
                .isEqualTo(numberInLine("line/b", both));
        client.store().release(b);
        await().until(() -> client.isGranted(onlyB));
        assertThat(client.isGranted(both)).as("it is behind now, in both").isFalse();
        client.store().release(a);
        assertThat(client.isGranted(both)).isFalse();
        client.store().release(client.take(onlyB));

        await().until(() -> client.isGranted(both));
    }

    @Test
    void waiterThatMissesOneOfItsLinesHoldsNobodyUp() {
        BareClient client = client();
        List<Grant> a = client.take(BareClient.claim(LEASE, "torn/a"));
        List<Grant> b = client.take(BareClient.claim(LEASE, "torn/b"));
        Claim both = BareClient.claim(LEASE, "torn/a", "torn/b");
        Claim behind = BareClient.claim(LEASE, "torn/b");
        client.store().tryAcquire(both);
        client.store().tryAcquire(behind);
        redis.ask("DEL", "holdfast:{torn/a}:q", "holdfast:{torn/a}:w");
        client.store().release(b);

        await().until(() -> !client.pushed.isEmpty());
        assertThat(client.pushed.peek().get(0).owner()).isEqualTo(behind.owner());
        client.store().release(a);
        client.store().release(client.pushed.peek());
        await().until(() -> client.isGranted(both));
    }

    @Test
    void pushTellsWhenItWasAndWhetherSomebodyWaits() {
        BareClient holder = client();
        BareClient waiting = client();
        List<Grant> held = holder.take(BareClient.claim(LEASE, "push"));
        waiting.store().tryAcquire(BareClient.claim(LEASE, "push"));
        waiting.store().tryAcquire(BareClient.claim(LEASE, "push"));
        long before = BareClient.nanos();
        holder.store().release(held);
        await().until(() -> !waiting.pushed.isEmpty());

        assertThat(waiting.pushed.peek()).singleElement().satisfies(grant -> {
            assertThat(grant.wanted()).isTrue();
            assertThat(grant.lease()).isEqualTo(LEASE);
            assertThat(grant.validFor()).isPositive().isLessThan(LEASE);
        });
        assertThat(waiting.anchors.peek())
                .as("not later than the push, and not much earlier")
                .isLessThanOrEqualTo(BareClient.nanos())
                .isGreaterThan(before - Duration.ofSeconds(1).toNanos());
        assertThat(holder.wanted).contains(held.get(0).epoch());
    }

    @Test
    void manyClientsOfTheWholeApiShareOneLock() throws InterruptedException {
        int count = 12;
        List<Holdfast> clients = new ArrayList<>();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        LockOptions options = LockOptions.defaults().withLeaseTime(LEASE);
        for (int i = 0; i < count; i++) {
            clients.add(Holdfast.connect(redis.url()));
            waiters.add(clients.get(i).lock("shared", options).acquireAsync());
            int waiting = i;
            await().until(() ->
                    clients.get(0).inspect("shared").orElseThrow().waiters().size() == waiting);
        }
        List<Long> tokens = new ArrayList<>();
        for (CompletableFuture<Lease> waiter : waiters) {
            Lease lease = Outcomes.of(waiter);
            tokens.add(lease.token());
            lease.close();
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
        clients.forEach(Holdfast::close);
    }

    private static Claim readWrite(int units) {
        return BareClient.claim(LEASE, List.of(new Claim.Part("catalog", LockKind.READ_WRITE, units, Claim.MANY)));
    }

    private static @Nullable Object numberInLine(String name, Claim claim) {
        return redis.ask(
                "EVAL",
                "local owner = string.gsub(ARGV[1], '%x%x', function(hex) return string.char(tonumber(hex, 16)) end) "
                        + "return redis.call('ZSCORE', KEYS[1], owner)",
                "1",
                "holdfast:{" + name + "}:q",
                claim.owner().toString());
    }

    private BareClient client() {
        BareClient client = new BareClient(redis.url());
        bare.add(client);
        return client;
    }
}
