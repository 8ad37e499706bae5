package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.rig.Rig;
import dev.holdfast.rig.etcd.EtcdNode;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The claims of a client use the same keys one after the other, and nothing late of one does anything to another. */
final class KeysUsedAgainTest {
    private static final Duration SESSION = Duration.ofSeconds(60);

    @RegisterExtension
    static final Rig rig = new Rig();

    private static EtcdNode node;
    private static Keys keys;

    private final Tap tap = new Tap();
    private final List<Holdfast> clients = new ArrayList<>();
    private ManagedChannel channel;
    private KVGrpc.KVBlockingStub bare;

    @BeforeAll
    static void start() throws InterruptedException {
        node = EtcdNode.start(rig);
        keys = new Keys(node, "again");
        Soon.loadClasses(node.address());
    }

    @BeforeEach
    void connect() {
        channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
        bare = KVGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        channel.shutdownNow();
    }

    private Holdfast tapped() {
        Holdfast client = Holdfast.builder()
                .store(EtcdLocks.over(ClientInterceptors.intercept(channel, tap))
                        .withPrefix("again")
                        .withSession(SESSION))
                .build();
        clients.add(client);
        return client;
    }

    private Holdfast other() {
        Holdfast client = Holdfast.connect("etcd://" + node.address() + "/again#session=60s");
        clients.add(client);
        return client;
    }

    private static List<Keys.Entry> untilLine(String name, int length) {
        await().atMost(Soon.PATIENCE).until(() -> keys.line(name).size() == length);
        return keys.line(name);
    }

    /** What was put into a line, in order. */
    private List<PutRequest> puts(String name) {
        return tap.sent(TxnRequest.class).stream()
                .flatMap(request -> puts(request, name).stream())
                .toList();
    }

    private static List<PutRequest> puts(TxnRequest request, String name) {
        return request.getSuccessList().stream()
                .filter(RequestOp::hasRequestPut)
                .map(RequestOp::getRequestPut)
                .filter(put -> put.getKey().toStringUtf8().startsWith("again/lock/" + name + "\0"))
                .toList();
    }

    private List<ByteString> keysPut(String name) {
        return puts(name).stream().map(PutRequest::getKey).toList();
    }

    /** Otherwise a line would have a key for each claim that there ever was, until etcd's history is compacted. */
    @Test
    void claimAfterClaimUsesTheSameKey() throws InterruptedException {
        Holdfast client = tapped();
        for (int i = 0; i < 30; i++) {
            client.lock("same").acquire().close();
            assertThat(client.lock("same").tryAcquire())
                    .hasValueSatisfying(lease -> assertThat(lease.release()).isTrue());
        }
        assertThat(keysPut("same")).hasSizeGreaterThanOrEqualTo(60);
        assertThat(keysPut("same").stream().distinct()).hasSize(1);
    }

    @Test
    void waitInVainAfterWaitInVainUsesTheSameKey() throws InterruptedException {
        Lease held = other().lock("busy").acquire();
        Holdfast client = tapped();
        for (int i = 0; i < 10; i++) {
            assertThat(client.lock("busy").tryAcquire(Duration.ofMillis(20))).isEmpty();
            untilLine("busy", 1);
        }
        // The client may hear of the end of one claim only when it has begun another.
        assertThat(keysPut("busy").stream().distinct()).hasSizeLessThanOrEqualTo(2);
        held.close();
    }

    /** One whose request to enter was lost, and arrives when its lock was taken by a second one and given back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keyThatALateRequestMayMakeIsNotUsedAgain(boolean channelThrows) throws InterruptedException {
        String name = "lost-" + channelThrows;
        Holdfast client = tapped();
        client.lock(name).acquire().close();
        AtomicReference<TxnRequest> late = new AtomicReference<>();
        // A request that is lost when it is sent and not when it ends makes the call throw something else.
        tap.lose(request -> request instanceof TxnRequest asked
                && !puts(asked, name).isEmpty()
                && (late.compareAndSet(null, asked) || (!channelThrows && asked.equals(late.get()))));
        assertThat(client.lock(name).tryAcquire(Duration.ofSeconds(20)))
                .hasValueSatisfying(lease -> assertThat(lease.release()).isTrue());
        PutRequest put = puts(late.get(), name).get(0);
        ByteString met = put.getKey();
        String owner = put.getValue().toStringUtf8().split("\n", -1)[2];
        await().atMost(Soon.PATIENCE).until(() -> hasTombstone(owner));
        bare.txn(late.get());
        assertThat(keys.line(name)).isEmpty();

        tap.forget();
        try (Lease lease = client.lock(name).acquire()) {
            assertThat(keysPut(name)).doesNotContain(met).isNotEmpty();
            bare.txn(late.get());
            assertThat(keys.line(name)).hasSize(1);
            assertThat(lease.isHeld()).isTrue();
        }
    }

    private boolean hasTombstone(String owner) {
        return bare.range(RangeRequest.newBuilder()
                                .setKey(ByteString.copyFromUtf8("again/gone/" + owner))
                                .build())
                        .getKvsCount()
                > 0;
    }

    @Test
    void lateRequestsOfClaimsThatHaveEndedDoNothingToTheNext() throws InterruptedException {
        String name = "next";
        Holdfast client = tapped();
        Holdfast other = other();
        client.lock(name).acquire().close();
        ByteString key = keysPut(name).get(0);
        try (Lease held = other.lock(name).acquire()) {
            assertThat(client.lock(name).tryAcquire(Duration.ofMillis(20))).isEmpty();
            untilLine(name, 1);
            assertThat(held.isHeld()).isTrue();
        }
        await().atMost(Soon.PATIENCE).until(() -> usesAgain(client, name, key));
        List<TxnRequest> earlier = tap.sent(TxnRequest.class).stream()
                .filter(request -> puts(request, name).isEmpty())
                .toList();
        try (Lease lease = client.lock(name).acquire()) {
            earlier.forEach(bare::txn);
            assertThat(keys.line(name)).extracting(Keys.Entry::key).containsExactly(key.toStringUtf8());
            assertThat(other.lock(name).tryAcquire()).isEmpty();
            assertThat(lease.isHeld()).isTrue();
        }
    }

    private boolean usesAgain(Holdfast client, String name, ByteString key) throws InterruptedException {
        client.lock(name).acquire().close();
        List<ByteString> all = keysPut(name);
        return all.get(all.size() - 1).equals(key);
    }

    /** A machine that was copied as it ran makes the same keys in the same session, but for other owners. */
    @Test
    void keyThatACopyOfThisProcessHasIsNotTakenForItsOwn() throws InterruptedException {
        String name = "copied";
        Holdfast client = tapped();
        client.lock(name).acquire().close();
        PutRequest put = puts(name).get(0);
        String[] lines = put.getValue().toStringUtf8().split("\n", -1);
        lines[2] = "0123456789abcdef0123456789abcdef";
        bare.put(put.toBuilder()
                .setValue(ByteString.copyFromUtf8(String.join("\n", lines)))
                .build());

        assertThat(client.lock(name).tryAcquire()).isEmpty();
        CompletableFuture<Lease> next = client.lock(name).acquireAsync();
        untilLine(name, 2);
        assertThat(next).isNotDone();
        bare.deleteRange(DeleteRangeRequest.newBuilder().setKey(put.getKey()).build());
        Soon.get(next).close();
    }

    /** A member that is behind sends what happened to the key before this claim made it. */
    @Test
    void oldNewsOfItsKeyIsNotItsEnd() throws InterruptedException {
        String name = "news";
        Holdfast client = tapped();
        client.lock(name).acquire().close();
        tap.forget();
        try (Lease lease = client.lock(name).acquire()) {
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            lease.onLost(told::complete);
            Keys.Entry own = untilLine(name, 1).get(0);
            await().atMost(Soon.PATIENCE).until(() -> !watched().isEmpty());
            long watch = watched()
                    .get(0)
                    .getUnknownFields()
                    .getField(7)
                    .getVarintList()
                    .get(0);

            tap.tell(deleted(own, own.revision() - 1, watch));
            assertThat(lease.isHeld()).isTrue();
            assertThat(told).isNotDone();
            tap.tell(deleted(own, own.revision() + 1, watch));
            assertThat(Soon.get(told)).isEqualTo(LossReason.EVICTED);
        } catch (dev.holdfast.LeaseLostException expected) {
            assertThat(expected).hasMessageContaining(name);
        }
    }

    private List<WatchCreateRequest> watched() {
        return tap.sent(WatchRequest.class).stream()
                .filter(WatchRequest::hasCreateRequest)
                .map(WatchRequest::getCreateRequest)
                .toList();
    }

    private static WatchResponse deleted(Keys.Entry entry, long revision, long watch) {
        WatchResponse.Builder response = WatchResponse.newBuilder().setWatchId(watch);
        response.getHeaderBuilder().setRevision(revision);
        response.addEvents(Event.newBuilder()
                .setType(Event.EventType.DELETE)
                .setKv(KeyValue.newBuilder()
                        .setKey(ByteString.copyFromUtf8(entry.key()))
                        .setModRevision(revision)));
        return response.build();
    }
}
