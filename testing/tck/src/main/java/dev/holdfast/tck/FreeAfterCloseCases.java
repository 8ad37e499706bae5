package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.HoldfastEvent;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * When {@code close()} has returned, on whatever thread it was called, nothing of the client is left in a store that
 * answers. P18.
 */
abstract class FreeAfterCloseCases {
    private static final int FAILURES_BEFORE = 4;
    private static final Duration ENOUGH_TO_CLOSE = Duration.ofSeconds(2);
    private static final Duration RENEWED_OFTEN = Duration.ofSeconds(3);

    private final OutageFixture fixture;

    FreeAfterCloseCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void everythingIsFreeAfterAnOrdinaryClose() throws Exception {
        WarmClient warm = warm(builder -> builder);
        slowDown();
        warm.client().close();

        assertThat(fixture.tracesOf(warm.client())).isEmpty();
    }

    @Test
    void everythingIsFreeAfterTheCallbackOfALossClosed() throws Exception {
        everythingIsFreeAfterALossClosed(builder -> builder);
    }

    @Test
    void everythingIsFreeAfterTheInlineCallbackOfALossClosed() throws Exception {
        everythingIsFreeAfterALossClosed(builder -> builder.callbackExecutor(Runnable::run));
    }

    private void everythingIsFreeAfterALossClosed(UnaryOperator<HoldfastBuilder> setUp) throws Exception {
        WarmClient warm = warm(setUp);
        Lease lost = oftenRenewed(warm);
        CompletableFuture<List<String>> left = new CompletableFuture<>();
        lost.onLost(reason -> closeAndLook(warm.client(), left));
        slowDown();
        warm.rival().evict(lost.name(), "the contract suite wants it");

        assertThat(fixture.plain().outcome(left)).isEmpty();
    }

    @Test
    void everythingIsFreeAfterTheListenerClosed() throws Exception {
        everythingIsFreeAfterTheListenerClosed(builder -> builder);
    }

    @Test
    void everythingIsFreeAfterTheInlineListenerClosed() throws Exception {
        everythingIsFreeAfterTheListenerClosed(builder -> builder.callbackExecutor(Runnable::run));
    }

    private void everythingIsFreeAfterTheListenerClosed(UnaryOperator<HoldfastBuilder> setUp) throws Exception {
        AtomicReference<Holdfast> toClose = new AtomicReference<>();
        CompletableFuture<List<String>> left = new CompletableFuture<>();
        WarmClient warm = warm(builder -> setUp.apply(builder).listener(event -> {
            if (event instanceof HoldfastEvent.Lost && toClose.get() != null) {
                closeAndLook(toClose.get(), left);
            }
        }));
        Lease lost = oftenRenewed(warm);
        toClose.set(warm.client());
        slowDown();
        warm.rival().evict(lost.name(), "the contract suite wants it");

        assertThat(fixture.plain().outcome(left)).isEmpty();
    }

    @Test
    void everythingIsFreeAfterACompletedFutureClosed() throws Exception {
        everythingIsFreeAfterAFutureClosed(builder -> builder);
    }

    @Test
    void everythingIsFreeAfterAFutureThatWasCompletedInlineClosed() throws Exception {
        everythingIsFreeAfterAFutureClosed(builder -> builder.callbackExecutor(Runnable::run));
    }

    /** The future is completed by a message of the store. */
    private void everythingIsFreeAfterAFutureClosed(UnaryOperator<HoldfastBuilder> setUp) throws Exception {
        WarmClient warm = warm(setUp);
        CompletableFuture<List<String>> left = new CompletableFuture<>();
        slowDown();
        CompletableFuture<Void> closed = warm.waits().get(0).thenAccept(lease -> closeAndLook(warm.client(), left));
        warm.blocking().get(0).close();

        assertThat(fixture.plain().outcome(left)).isEmpty();
        assertThat(closed).succeedsWithin(fixture.plain().patience());
    }

    /** The future is completed by an answer of the store. */
    @Test
    void everythingIsFreeAfterAFutureThatWasCompletedByItsFirstAnswerClosed() throws Exception {
        WarmClient warm = warm(builder -> builder.callbackExecutor(Runnable::run));
        CompletableFuture<List<String>> left = new CompletableFuture<>();
        slowDown();
        CompletableFuture<Void> closed = warm.client()
                .lock(fixture.name())
                .acquireAsync()
                .thenAccept(lease -> closeAndLook(warm.client(), left));

        assertThat(fixture.plain().outcome(left)).isEmpty();
        assertThat(closed).succeedsWithin(fixture.plain().patience());
    }

    @Test
    void everythingIsFreeAfterTheElectedLeaderClosed() throws Exception {
        WarmClient warm = warm(builder -> builder);
        CompletableFuture<List<String>> left = new CompletableFuture<>();
        slowDown();
        warm.client().election(fixture.name()).campaign(lease -> closeAndLook(warm.client(), left), reason -> {});

        assertThat(fixture.plain().outcome(left)).isEmpty();
    }

    @Test
    void everythingIsFreeWhenTheSecondOfTwoThreadsThatCloseReturns() throws Exception {
        fixture.needs(Fault.SLOW);
        WarmClient warm = warm(builder -> builder);
        fixture.begin(Fault.SLOW);
        Task<Boolean> first = fixture.plain().run(warm.client()::close);
        first.untilWaiting();
        warm.client().close();

        assertThat(fixture.tracesOf(warm.client())).isEmpty();
        assertThat(first.result()).isTrue();
    }

    /** Closing tells every holder of its loss, and some of them close the client for good measure. */
    @Test
    void callbacksThatCloseTheClientThatIsClosingHoldUpNobody() throws Exception {
        WarmClient warm = warm(builder -> builder);
        List<CompletableFuture<List<String>>> left = new ArrayList<>();
        for (Lease lease : warm.held()) {
            CompletableFuture<List<String>> seen = new CompletableFuture<>();
            left.add(seen);
            lease.onLost(reason -> closeAndLook(warm.client(), seen));
        }
        slowDown();
        warm.client().close();

        assertThat(fixture.tracesOf(warm.client())).isEmpty();
        for (CompletableFuture<List<String>> seen : left) {
            assertThat(fixture.plain().outcome(seen)).isEmpty();
        }
    }

    /** What the store did not answer is tried again later, but a client that closes has no later. */
    @Test
    void releasesThatWaitToBeRepeatedReachTheStoreBeforeCloseReturns() throws Exception {
        fixture.needs(Fault.REFUSED);
        AtomicInteger failures = new AtomicInteger();
        WarmClient warm = warm(builder -> builder.listener(event -> {
            if (event instanceof HoldfastEvent.StoreFailed) {
                failures.incrementAndGet();
            }
        }));
        fixture.begin(Fault.REFUSED);
        warm.held().forEach(Lease::release);
        warm.shared().forEach(Lease::release);
        warm.waits().forEach(wait -> wait.cancel(false));
        fixture.plain().await().until(() -> failures.get() >= FAILURES_BEFORE * WarmClient.HELD);
        fixture.end();
        warm.client().close();

        assertThat(fixture.tracesOf(warm.client())).isEmpty();
    }

    @Test
    void everythingIsFreeIfTheStoreAnswersAgainWhileTheClientCloses() throws Exception {
        fixture.needs(Fault.SILENT);
        Holdfast client = fixture.exposed(builder -> builder.commandTimeout(fixture.recoveryTime()));
        WarmClient warm = WarmClient.of(fixture, client);
        fixture.begin(Fault.SILENT);
        Task<Boolean> close = fixture.plain().run(client::close);
        close.untilWaiting();
        fixture.end();

        assertThat(close.result()).isTrue();
        assertThat(fixture.tracesOf(warm.client())).isEmpty();
    }

    /** Every lease is on its way back when the client closes. */
    @Test
    void everythingIsFreeIfTheClientClosesWhileItsLeasesAreGivenBackWithoutWaiting() throws Exception {
        WarmClient warm = warm(builder -> builder);
        slowDown();
        for (Lease lease : warm.held()) {
            CompletableFuture<Boolean> unused = lease.releaseAsync();
        }
        warm.client().close();

        assertThat(fixture.tracesOf(warm.client())).isEmpty();
    }

    @Test
    void waiterThatIsGrantedWhileItsClientClosesLeavesNothing() throws Exception {
        fixture.plain().needs(Promise.SEES_WAITERS);
        WarmClient warm = warm(builder -> builder);
        slowDown();
        Task<Boolean> granting = fixture.plain().run(() -> warm.blocking().forEach(Lease::release));
        warm.client().close();

        assertThat(granting.result()).isTrue();
        assertThat(fixture.tracesOf(warm.client())).isEmpty();
    }

    private WarmClient warm(UnaryOperator<HoldfastBuilder> setUp) throws Exception {
        return WarmClient.of(fixture, fixture.exposed(builder -> setUp.apply(builder.commandTimeout(ENOUGH_TO_CLOSE))));
    }

    /** On a slow store it shows whether a release was waited for. */
    /** {@return a lease whose loss is noticed soon, also where only a renewal notices it} */
    private Lease oftenRenewed(WarmClient warm) throws InterruptedException {
        return warm.client()
                .lock(fixture.name(), fixture.calm().withLeaseTime(RENEWED_OFTEN))
                .acquire();
    }

    private void slowDown() throws Exception {
        if (fixture.isPossible(Fault.SLOW)) {
            fixture.begin(Fault.SLOW);
        }
    }

    private void closeAndLook(Holdfast client, CompletableFuture<List<String>> left) {
        try {
            client.close();
            left.complete(fixture.tracesOf(client));
        } catch (RuntimeException | Error failed) {
            left.completeExceptionally(failed);
        }
    }
}
