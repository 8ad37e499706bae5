package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests, replies and messages that come late or overtake each other. P2, P9, P14. */
abstract class LatenessCases {
    private final Fixture fixture;
    private final String name;

    LatenessCases(Fixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @Test
    void requestThatArrivesAfterItsCallerGaveUpTakesNoEffect() {
        Fixture.Linked linked = fixture.linkedClient();
        linked.link().delay(Link.Step.ACQUIRE);
        assertThatThrownBy(() -> linked.client().lock(name).tryAcquire()).isInstanceOf(StoreUnavailableException.class);
        fixture.await().until(() -> linked.link().answers(Link.Step.WITHDRAW) >= 1);
        linked.link().deliverLate();

        assertThat(fixture.client().lock(name).tryAcquire()).isPresent();
    }

    @Test
    void grantWhoseMessageComesAfterItRanOutIsNotHeld() throws Exception {
        fixture.needsLeases();
        fixture.needs(Promise.PUSHES, Promise.SEES_WAITERS);
        Fixture.Linked linked = fixture.linkedClient();
        Lease first = fixture.client().lock(name).acquire();
        CompletableFuture<Lease> waiter =
                linked.client().lock(name, fixture.brief()).acquireAsync();
        fixture.untilWaiters(name, 1);
        linked.link().holdMessages();
        linked.link().fail(Link.Step.POLL);
        first.close();
        Lease between =
                fixture.client().lock(name).tryAcquire(fixture.patience()).orElseThrow();
        linked.link().deliverMessages();
        assertThat(waiter).isNotDone();
        linked.link().heal();
        between.close();

        assertThat(fixture.outcome(waiter).token()).isGreaterThan(between.token());
    }

    @Test
    void grantWhoseMessageOvertookTheReplyOfItsRequestIsReleasedInPeace() throws Exception {
        fixture.needs(Promise.PUSHES, Promise.SEES_WAITERS);
        Fixture.Linked linked = fixture.linkedClient(builder -> builder.commandTimeout(fixture.patience()));
        Lease first = fixture.client().lock(name).acquire();
        // By a refusal a client learns the store's time, without which it asks again instead of trusting a message.
        assertThat(linked.client().lock(name).tryAcquire()).isEmpty();
        linked.link().holdReplies(Link.Step.ACQUIRE);
        CompletableFuture<Lease> waiter = linked.client().lock(name).acquireAsync();
        fixture.untilWaiters(name, 1);
        first.close();
        Lease lease = fixture.outcome(waiter);
        linked.link().stall(Link.Step.RELEASE);
        Task<Boolean> release = fixture.start(lease::release);
        fixture.await().until(() -> linked.link().calls(Link.Step.RELEASE) >= 1);
        linked.link().letRepliesGo();
        letOtherWorkPass(linked.client());
        linked.link().heal();

        assertThat(release.result()).as("the lease was held until its release").isTrue();
        fixture.takeInTheEnd(fixture.client(), name);
    }

    /** Takes other locks, one after another, so that whatever the client was about to do is done. */
    private void letOtherWorkPass(Holdfast client) throws Exception {
        List<Lease> others = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            others.add(fixture.outcome(client.lock(fixture.name()).acquireAsync()));
        }
        assertThat(others).allMatch(Lease::isHeld);
    }
}
