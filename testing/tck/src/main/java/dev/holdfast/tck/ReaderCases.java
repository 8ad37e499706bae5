package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.RenewOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims of readers and writers, one step at a time: P5, P12, P15. */
abstract class ReaderCases {
    private static final int READERS = 20;

    private final StoreFixture fixture;
    private final String name;

    ReaderCases(StoreFixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @BeforeEach
    void needsReadWrite() {
        fixture.needs(Promise.READ_WRITE);
    }

    @Test
    void manyReadersFitBesideEachOtherAndNoWriterBesideThem() {
        Peer peer = fixture.peer();
        List<Grant> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(peer.take(fixture.reader(name)));
        }
        peer.refuse(fixture.writer(name));
        readers.forEach(peer::giveBack);

        peer.take(fixture.writer(name));
        peer.refuse(fixture.reader(name));
    }

    @Test
    void epochsOfReadersDifferAndThatOfTheNextWriterIsLarger() {
        List<Peer> peers = List.of(fixture.peer(), fixture.peer());
        List<Grant> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(peers.get(i % 2).take(fixture.reader(name)));
        }
        Set<Long> epochs = readers.stream().map(Grant::epoch).collect(Collectors.toSet());
        for (int i = 0; i < READERS; i++) {
            peers.get(i % 2).giveBack(readers.get(i));
        }

        assertThat(epochs).hasSize(READERS);
        long writer = peers.get(0).take(fixture.writer(name)).epoch();
        assertThat(epochs).allMatch(epoch -> epoch < writer);
    }

    @Test
    void readerThatAsksAgainFindsItsGrant() {
        Peer peer = fixture.peer();
        peer.take(fixture.reader(name));
        Claim claim = fixture.reader(name);
        Grant first = peer.take(claim);

        assertThat(peer.take(claim).epoch()).isEqualTo(first.epoch());
        assertThat(fixture.view(name).holders()).hasSize(2);
        peer.giveBack(first);
        assertThat(fixture.view(name).holders()).hasSize(1);
    }

    @Test
    void viewShowsReadersAndWriters() {
        Peer peer = fixture.peer();
        List<Grant> readers = List.of(peer.take(fixture.reader(name)), peer.take(fixture.reader(name)));
        LockView reading = fixture.view(name);

        assertThat(reading.kind()).isEqualTo(LockKind.READ_WRITE);
        assertThat(reading.capacity()).isEqualTo(Claim.MANY);
        assertThat(reading.holders()).extracting(LockView.Holder::units).containsExactly(1, 1);
        assertThat(reading.holders())
                .extracting(LockView.Holder::token)
                .containsExactlyInAnyOrderElementsOf(readers.stream()
                        .map(reader -> Grant.token(reader.epoch(), 0))
                        .toList());
        readers.forEach(peer::giveBack);
        peer.take(fixture.writer(name));
        assertThat(fixture.view(name).holders())
                .extracting(LockView.Holder::units)
                .containsExactly(Claim.MANY);
    }

    @Test
    void waitingWriterIsGrantedAfterTheLastReader() {
        Peer peer = fixture.peer();
        Grant first = peer.take(fixture.reader(name));
        Peer other = fixture.peer();
        Grant second = other.take(fixture.reader(name));
        Claim writer = fixture.writer(name).queued(true);
        peer.refuse(writer);
        other.giveBack(second);
        assertThat(peer.isGranted(writer)).isFalse();
        peer.giveBack(first);

        fixture.await().until(() -> peer.isGranted(writer));
        assertThat(peer.take(writer).epoch()).isGreaterThan(Math.max(first.epoch(), second.epoch()));
    }

    @Test
    void withdrawnReaderDoesNotStandInAWritersWay() {
        Peer peer = fixture.peer();
        Claim reader = fixture.reader(name);
        Grant grant = peer.take(reader);
        peer.store().withdraw(reader, true);

        assertThat(peer.store().tryAcquire(reader)).as("it is buried").isInstanceOf(AcquireOutcome.Contended.class);
        assertThat(peer.take(fixture.writer(name)).epoch()).isGreaterThan(grant.epoch());
    }

    @Test
    void lateRenewalOfAnExpiredReaderDoesNotLetItInBesideAWriter() {
        fixture.needsLeases();
        Peer peer = fixture.peer();
        Grant expired = peer.take(fixture.reader(name, fixture.shortLease()));
        Claim writer = fixture.writer(name).queued(true);
        fixture.await().until(() -> peer.isGranted(writer));

        assertThat(peer.renew(expired)).isInstanceOf(RenewOutcome.Lost.class);
        assertThat(fixture.view(name).holders())
                .extracting(LockView.Holder::units)
                .containsExactly(Claim.MANY);
    }

    @Test
    void renewedReaderOutlivesItsLease() {
        fixture.needsLeases();
        Peer peer = fixture.peer();
        Grant brief = peer.take(fixture.reader(name, fixture.shortLease()));
        Grant renewed = peer.take(fixture.reader(name, fixture.shortLease()));
        Claim writer = fixture.writer(name);
        fixture.await().until(() -> {
            assertThat(peer.renew(renewed)).isInstanceOf(RenewOutcome.Renewed.class);
            peer.refuse(writer);
            return fixture.view(name).holders().size() == 1;
        });
        peer.giveBack(renewed);
        assertThat(peer.renew(brief)).isInstanceOf(RenewOutcome.Lost.class);
    }

    @Test
    void evictionEndsAllReadersAndEachIsTold() {
        Peer peer = fixture.peer();
        List<Grant> evicted = List.of(
                peer.take(fixture.reader(name)), peer.take(fixture.reader(name)), peer.take(fixture.reader(name)));
        assertThat(fixture.peer().store().evict(name, OptionalLong.empty(), "operator", "it hangs"))
                .isEqualTo(evicted.size());
        Grant writer = fixture.peer().take(fixture.writer(name));

        for (Grant reader : evicted) {
            assertThat(writer.epoch()).isGreaterThan(reader.epoch());
            fixture.await()
                    .until(() -> peer.renew(reader) instanceof RenewOutcome.Lost lost
                            && lost.reason() == LossReason.EVICTED);
        }
    }

    @Test
    void evictionByEpochEndsOneReader() {
        Peer peer = fixture.peer();
        Grant before = peer.take(fixture.reader(name));
        Grant evicted = peer.take(fixture.reader(name));
        Grant after = peer.take(fixture.reader(name));
        LockStore operator = fixture.peer().store();
        assertThat(operator.evict(name, OptionalLong.of(evicted.epoch()), "operator", "it hangs"))
                .isEqualTo(1);

        fixture.await()
                .until(() ->
                        peer.renew(evicted) instanceof RenewOutcome.Lost lost && lost.reason() == LossReason.EVICTED);
        assertThat(peer.renew(before)).isInstanceOf(RenewOutcome.Renewed.class);
        assertThat(peer.renew(after)).isInstanceOf(RenewOutcome.Renewed.class);
        peer.refuse(fixture.writer(name));
        assertThat(operator.evict(name, OptionalLong.of(evicted.epoch()), "operator", "again"))
                .isZero();
        peer.giveBack(before);
        peer.giveBack(after);
    }

    @Test
    void claimOfAnotherKindIsAMismatchAndChangesNothing() {
        isMismatchFor(fixture.reader(name), List.of(fixture.claim(name)));
        isMismatchFor(fixture.writer(name), List.of(fixture.claim(name)));
        isMismatchFor(fixture.claim(name), List.of(fixture.reader(name), fixture.writer(name)));
    }

    /** A name out of use may change its kind, so the next one can be another. */
    private void isMismatchFor(Claim held, List<Claim> others) {
        Peer peer = fixture.peer();
        Grant grant = peer.take(held);
        for (Claim other : others) {
            for (boolean queue : new boolean[] {false, true}) {
                assertThat(peer.store().tryAcquire(other.queued(queue)))
                        .isInstanceOfSatisfying(
                                AcquireOutcome.Mismatch.class,
                                mismatch -> assertThat(mismatch.detail()).contains(name));
            }
        }
        LockView view = fixture.view(name);
        assertThat(view.kind()).isEqualTo(held.parts().get(0).kind());
        assertThat(view.waiters()).isEmpty();
        assertThat(view.holders()).extracting(LockView.Holder::token).containsExactly(Grant.token(grant.epoch(), 0));
        peer.giveBack(grant);
    }
}
