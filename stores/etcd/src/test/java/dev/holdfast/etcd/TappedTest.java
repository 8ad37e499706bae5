package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import dev.holdfast.LossReason;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreContext;
import dev.holdfast.spi.StoreListener;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What goes through the channel: how much an uncontended pair asks for, whom a waiter watches, and answers that come too
 * late. Sessions are long, so that a waiter that is not woken would wait until it is asked for after five seconds.
 */
final class TappedTest {
    private static final Duration SESSION = Duration.ofSeconds(60);

    /** Much more than a hand-over takes, and less than what is left until a waiter asks by itself. */
    private static final Duration WELL_BEFORE_THE_NEXT_LOOK = Duration.ofMillis(2_500);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;
    private static Keys keys;

    private final Tap tap = new Tap();
    private final List<Holdfast> clients = new ArrayList<>();
    private ManagedChannel channel;

    @BeforeAll
    static void start() throws InterruptedException {
        node = EtcdNode.start(rig);
        keys = new Keys(node, "tapped");
        Soon.loadClasses(node.address());
    }

    @BeforeEach
    void connect() {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        channel.shutdownNow();
    }

    private EtcdLocks store() {
        return EtcdLocks.over(ClientInterceptors.intercept(channel, tap))
                .withPrefix("tapped")
                .withSession(SESSION);
    }

    private Holdfast tapped() {
        Holdfast client = Holdfast.builder().store(store()).build();
        clients.add(client);
        return client;
    }

    private Holdfast other() {
        Holdfast client = Holdfast.connect("etcd://" + node.address() + "/tapped#session=60s");
        clients.add(client);
        return client;
    }

    private static List<Keys.Entry> untilLine(String name, int length) {
        await().atMost(Soon.PATIENCE).until(() -> keys.line(name).size() == length);
        return keys.line(name);
    }

    /** The next in line gets it at once, because it is woken. */
    private static void isHandedOver(Lease held, CompletableFuture<Lease> next) {
        held.close();
        assertThat(next)
                .succeedsWithin(WELL_BEFORE_THE_NEXT_LOOK)
                .satisfies(lease -> assertThat(lease.release()).isTrue());
    }

    @Test
    void uncontendedPairTakesTwoRequests() throws InterruptedException {
        Holdfast client = tapped();
        client.lock("pair").acquire().close();
        int fewest = Integer.MAX_VALUE;
        // A pair that takes long on a busy machine is watched, too.
        for (int i = 0; i < 50; i++) {
            tap.forget();
            client.lock("pair").acquire().close();
            assertThat(tap.sent(TxnRequest.class)).hasSizeGreaterThanOrEqualTo(2);
            fewest = Math.min(fewest, tap.sent(Object.class).size());
        }
        assertThat(fewest).isEqualTo(2);
    }

    @Test
    void waiterWatchesOnlyItsPredecessor() throws InterruptedException {
        String name = "crowd";
        Holdfast others = other();
        Lease held = others.lock(name).acquire();
        Holdfast before = other();
        CompletableFuture<Lease> second = before.lock(name).acquireAsync();
        String predecessor = untilLine(name, 2).get(1).key();

        CompletableFuture<Lease> third = tapped().lock(name).acquireAsync();
        untilLine(name, 3);
        CompletableFuture<Lease> fourth = other().lock(name).acquireAsync();
        untilLine(name, 4);
        await().atMost(Soon.PATIENCE).until(() -> !watched().isEmpty());
        assertThat(watched()).singleElement().satisfies(watch -> {
            assertThat(watch.getKey().toStringUtf8()).isEqualTo(predecessor);
            assertThat(watch.getRangeEnd()).isEqualTo(ByteString.EMPTY);
            assertThat(watch.getFiltersList()).containsExactly(WatchCreateRequest.FilterType.NOPUT);
        });
        held.close();
        Soon.get(second).close();
        Soon.get(third).close();
        Soon.get(fourth).close();
    }

    private List<WatchCreateRequest> watched() {
        return tap.sent(WatchRequest.class).stream()
                .filter(WatchRequest::hasCreateRequest)
                .map(WatchRequest::getCreateRequest)
                .toList();
    }

    /** The server tells of the end of the predecessor, but a member that has not heard of it reads the line. */
    @Test
    void readThatIsOlderThanItsEventIsRepeated() throws InterruptedException {
        String name = "behind";
        Lease held = other().lock(name).acquire();
        CompletableFuture<Lease> next = tapped().lock(name).acquireAsync();
        untilLine(name, 2);
        await().atMost(Soon.PATIENCE).until(() -> !watched().isEmpty());
        TxnRequest look = new Transactions(new Layout("tapped/")).readLines(List.of(name), true);
        TxnResponse old = KVGrpc.newBlockingStub(channel).txn(look);
        AtomicBoolean fresh = new AtomicBoolean(true);
        tap.answer((request, answer) -> request.equals(look) && fresh.getAndSet(false) ? old : answer);

        isHandedOver(held, next);
        assertThat(fresh).as("nobody looked at the member alone").isFalse();
    }

    @Test
    void waiterWhoseWatchIsCompactedIsWatchedAnew() throws InterruptedException {
        String name = "compacted";
        Lease held = other().lock(name).acquire();
        CompletableFuture<Lease> next = tapped().lock(name).acquireAsync();
        untilLine(name, 2);
        await().atMost(Soon.PATIENCE).until(() -> watched().size() == 1);
        tap.compacted(number(watched().get(0)));
        await().atMost(Soon.PATIENCE).until(() -> watched().size() == 2);

        isHandedOver(held, next);
    }

    /** The number that we give a watch, which the messages do not know yet. */
    private static long number(WatchCreateRequest watch) {
        return watch.getUnknownFields().getField(7).getVarintList().get(0);
    }

    /**
     * Somebody deletes the key of a waiter. It reads that, and clears away what may be left of its claim before it enters anew.
     * That request arrives when the claim holds, as one that was repeated on another member may.
     */
    @Test
    void requestThatClearsAwayDeletesNothingNewer() throws InterruptedException {
        String name = "swept";
        Holdfast other = other();
        Lease held = other.lock(name).acquire();
        CompletableFuture<Lease> next = tapped().lock(name).acquireAsync();
        Keys.Entry waiting = untilLine(name, 2).get(1);
        AtomicReference<TxnRequest> late = new AtomicReference<>();
        tap.lose(
                request -> request instanceof TxnRequest asked && clearsAway(asked) && late.compareAndSet(null, asked));
        keys.delete(waiting);
        held.close();
        try (Lease lease = Soon.get(next)) {
            assertThat(late.get()).as("what was cleared away").isNotNull();
            KVGrpc.newBlockingStub(channel).txn(late.get());

            assertThat(keys.line(name)).extracting(Keys.Entry::key).containsExactly(waiting.key());
            assertThat(other.lock(name).tryAcquire()).isEmpty();
            assertThat(lease.isHeld()).isTrue();
        }
    }

    /** It does nothing but delete, and does not depend on what is there as a whole. */
    private static boolean clearsAway(TxnRequest asked) {
        return asked.getCompareCount() == 0
                && asked.getSuccessCount() > 0
                && asked.getSuccessList().stream()
                        .allMatch(each -> each.hasRequestDeleteRange()
                                || (each.hasRequestTxn()
                                        && each.getRequestTxn().getSuccess(0).hasRequestDeleteRange()));
    }

    /** A store as the engine sees it, with a clock that the test can put forward. */
    private final class Bare implements AutoCloseable {
        private final AtomicLong clockGain = new AtomicLong();
        private final List<OwnerId> retried = new CopyOnWriteArrayList<>();
        private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        private final LockStore store = store().open(new StoreContext(
                "tapped",
                () -> System.nanoTime() + clockGain.get(),
                (delay, task) -> {
                    Future<?> later = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
                    return () -> later.cancel(false);
                },
                timer,
                Duration.ofSeconds(2),
                new Random(1),
                new Retries(retried)));

        @Override
        public void close() {
            store.close();
            timer.shutdownNow();
        }
    }

    /** A session is over for its client, and the request that ends its lease is lost; then the client is closed. */
    @Test
    void closeEndsTheLeaseOfASessionThatWasOverBefore() {
        try (Bare bare = new Bare()) {
            assertThat(bare.store.tryAcquire(claim("over"))).isInstanceOf(AcquireOutcome.Granted.class);
            tap.lose(LeaseRevokeRequest.class::isInstance);
            node.ask("/v3/kv/deleterange", "{\"key\":\"" + EtcdNode.encoded("tapped/format") + "\"}");
            assertThat(bare.store.tryAcquire(claim("another"))).isInstanceOf(AcquireOutcome.Granted.class);
            assertThat(tap.sent(LeaseRevokeRequest.class)).hasSize(1);
            assertThat(keys.line("over")).hasSize(1);
            tap.lose(request -> false);
        }
        assertThat(keys.line("over")).isEmpty();
        assertThat(keys.line("another")).isEmpty();
    }

    /** It was to hold when its session had just ended: nobody was told that it holds, so it is asked for again. */
    @Test
    void waiterThatComesToHoldWhenItsSessionIsOverEntersAnew() throws InterruptedException {
        try (Bare bare = new Bare()) {
            String name = "late";
            Lease held = other().lock(name).acquire();
            Claim claim = claim(name);
            assertThat(bare.store.tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
            await().atMost(Soon.PATIENCE).until(() -> !watched().isEmpty());
            // As if the process had stood still: its lease lives on the server, but it must not count on that.
            bare.clockGain.set(SESSION.toNanos());
            held.close();
            await().atMost(Soon.PATIENCE)
                    .untilAsserted(() -> assertThat(bare.retried).contains(claim.owner()));
            assertThat(bare.store.poll(List.of(claim)).get(0)).isInstanceOf(AcquireOutcome.Granted.class);
        }
    }

    private static Claim claim(String name) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Claim(
                List.of(new Claim.Part(name, LockKind.EXCLUSIVE, 1, 1)),
                new OwnerId(random.nextLong(), random.nextLong()),
                SESSION,
                new Claim.HolderInfo("tapped", "label"),
                true);
    }

    /** What the engine would be told. */
    private record Retries(List<OwnerId> retried) implements StoreListener {
        @Override
        public void retry(String name, OwnerId owner) {
            retried.add(owner);
        }

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {}

        @Override
        public void wanted(String name, long epoch) {}

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {}

        @Override
        public void sessionLost(String session) {}
    }
}
