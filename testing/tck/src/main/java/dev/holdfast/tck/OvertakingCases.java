package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits.Promise;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** News of a loss that comes before the grant it is about: the grant is never used. P9, P10. */
abstract class OvertakingCases {
    private final OutageFixture fixture;

    OvertakingCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void grantWhoseLossWasToldBeforeItsReplyIsNotHeld() throws Exception {
        fixture.plain().needs(Promise.PUSHES);
        for (Kind kind : fixture.kinds()) {
            Fixture.Linked linked = patient();
            DistributedLock lock = kind.lock().of(linked.client(), fixture.name(), fixture.calm());
            int before = linked.link().answers(Link.Step.ACQUIRE);
            linked.link().holdReplies(Link.Step.ACQUIRE);
            CompletableFuture<Lease> lease = lock.acquireAsync();
            fixture.plain().await().until(() -> linked.link().answers(Link.Step.ACQUIRE) > before);
            evict(lock.names().get(0));
            fixture.plain()
                    .await()
                    .until(() -> linked.link().hasToldLossOf(lock.names().get(0)));
            linked.link().letRepliesGo();

            isHeldInTheStore(kind, fixture.plain().outcome(lease));
        }
    }

    private void evict(String name) {
        assertThat(fixture.plain().observer().evict(name, "the contract suite wants it"))
                .isEqualTo(1);
    }

    @Test
    void grantOfASessionWhoseEndWasToldBeforeItsReplyIsNotHeld() throws Exception {
        fixture.plain().needsLeases();
        for (Kind kind : fixture.kinds()) {
            Fixture.Linked linked = patient();
            linked.link().session().begin();
            DistributedLock lock = kind.lock().of(linked.client(), fixture.name(), fixture.calm());
            linked.link().holdReplies(Link.Step.ACQUIRE);
            CompletableFuture<Lease> lease = lock.acquireAsync();
            fixture.plain().await().until(() -> linked.link().answers(Link.Step.ACQUIRE) == 1);
            linked.link().session().lose();
            linked.link().letRepliesGo();

            isHeldInTheStore(kind, fixture.plain().outcome(lease));
        }
    }

    @Test
    void pushedGrantOfASessionThatIsOverIsNotHeld() throws Exception {
        fixture.plain().needsLeases();
        fixture.plain().needs(Promise.PUSHES, Promise.SEES_WAITERS);
        Fixture.Linked linked = patient();
        linked.link().session().begin();
        Lease first = fixture.plain().client().lock(fixture.name()).acquire();
        // By a refusal a client learns the store's time, without which it asks again instead of trusting a message.
        assertThat(linked.client().lock(first.name()).tryAcquire()).isEmpty();
        CompletableFuture<Lease> lease = linked.client().lock(first.name()).acquireAsync();
        fixture.plain().untilWaiters(first.name(), 1);
        linked.link().holdMessages();
        first.close();
        fixture.plain().await().until(() -> linked.link().heldMessages() > 0);
        linked.link().session().lose();
        linked.link().deliverMessages();

        isHeldInTheStore(fixture.kinds().get(0), fixture.plain().outcome(lease));
    }

    @Test
    void leasesOfASessionThatIsOverAreLost() throws Exception {
        fixture.plain().needsLeases();
        Fixture.Linked linked = patient();
        linked.link().session().begin();
        for (Kind kind : fixture.kinds()) {
            Lease lease = kind.lock()
                    .of(linked.client(), fixture.name(), fixture.calm())
                    .acquire();
            CompletableFuture<LossReason> told = new CompletableFuture<>();
            lease.onLost(told::complete);
            linked.link().session().lose();

            assertThat(fixture.plain().outcome(told)).as(kind.what()).isEqualTo(LossReason.SESSION_LOST);
            assertThat(lease.isHeld()).isFalse();
        }
    }

    private void isHeldInTheStore(Kind kind, Lease lease) {
        assertThat(lease.isHeld()).as(kind.what()).isTrue();
        for (String name : lease.names()) {
            assertThat(fixture.plain()
                            .observer()
                            .inspect(name)
                            .map(LockView::holders)
                            .orElse(List.of()))
                    .as("holders of the %s lock", kind.what())
                    .anySatisfy(holder -> assertThat(holder.token()).isEqualTo(lease.token(name)));
        }
    }

    private Fixture.Linked patient() {
        return fixture.plain()
                .linkedClient(builder -> builder.commandTimeout(fixture.plain().patience()));
    }
}
