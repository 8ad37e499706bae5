package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LossReason;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One client of a store without an engine: asks single steps, and remembers what it was told. Thread-safe. */
final class Peer {
    private final LockStore store;
    private final Ear ear;

    /** A grant that came unasked, with the time that it is counted from. */
    record Push(List<Grant> grants, long anchorNanos, long heardNanos) {}

    /** A grant that was taken away. */
    record Loss(String name, OwnerId owner, long epoch, LossReason reason) {}

    Peer(LockStore store, Ear ear) {
        this.store = store;
        this.ear = ear;
    }

    LockStore store() {
        return store;
    }

    Ear ear() {
        return ear;
    }

    /** Takes a free name; anything but a grant fails the test. */
    Grant take(Claim claim) {
        return grants(claim).get(0);
    }

    /** Takes free names; anything but a grant fails the test. */
    List<Grant> grants(Claim claim) {
        AcquireOutcome outcome = store.tryAcquire(claim);
        assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
        return ((AcquireOutcome.Granted) outcome).grants();
    }

    /** Asks for a taken name; anything but contention fails the test. */
    void refuse(Claim claim) {
        assertThat(store.tryAcquire(claim)).isInstanceOf(AcquireOutcome.Contended.class);
    }

    /** {@return whether a waiting claim is granted by now} */
    boolean isGranted(Claim claim) {
        return grantOf(claim) != null;
    }

    /** {@return the grant of a waiting claim, if it has one by now} */
    @Nullable
    Grant grantOf(Claim claim) {
        return store.poll(List.of(claim)).get(0) instanceof AcquireOutcome.Granted granted
                ? granted.grants().get(0)
                : null;
    }

    RenewOutcome renew(Grant grant) {
        return store.renew(List.of(grant)).get(0);
    }

    ReleaseOutcome release(Grant grant) {
        return store.release(List.of(grant)).get(0);
    }

    /** Gives a grant back; if it was not held, the test fails. */
    void giveBack(Grant grant) {
        assertThat(release(grant)).isInstanceOf(ReleaseOutcome.Released.class);
    }

    /** Remembers what the store tells. Thread-safe. */
    static final class Ear implements StoreListener {
        final Queue<Push> pushes = new ConcurrentLinkedQueue<>();
        final Queue<Loss> losses = new ConcurrentLinkedQueue<>();
        final Queue<Long> wantedEpochs = new ConcurrentLinkedQueue<>();

        @Override
        public void retry(String name, OwnerId owner) {}

        @Override
        public void granted(List<Grant> grants, long anchorNanos) {
            pushes.add(new Push(grants, anchorNanos, StoreFixture.nanos()));
        }

        @Override
        public void wanted(String name, long epoch) {
            wantedEpochs.add(epoch);
        }

        @Override
        public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
            losses.add(new Loss(name, owner, epoch, reason));
        }

        @Override
        public void sessionLost(String session) {}
    }
}
