package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * When an outage is over, every client that lived through it soon works again, without a restart: it takes and gives
 * back, waits and is waited for, and what it held and waited for before goes on. P19.
 */
abstract class RecoveryCases {
    private static final Duration SOON = Duration.ofMillis(20);
    private static final int THREADS_IN_THE_OUTAGE = 10;

    private final OutageFixture fixture;

    RecoveryCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void clientsRecoverFromSilence() throws Exception {
        recoverFrom(Fault.SILENT);
    }

    @Test
    void clientsRecoverFromRefusedConnections() throws Exception {
        recoverFrom(Fault.REFUSED);
    }

    @Test
    void clientsRecoverFromResetConnections() throws Exception {
        recoverFrom(Fault.RESET);
    }

    @Test
    void clientsRecoverFromSlowness() throws Exception {
        recoverFrom(Fault.SLOW);
    }

    @Test
    void clientsRecoverFromLostReplies() throws Exception {
        recoverFrom(Fault.REPLIES_LOST);
    }

    @Test
    void clientsRecoverFromRefusedChanges() throws Exception {
        recoverFrom(Fault.READS_ONLY);
    }

    @Test
    void clientsRecoverFromDeadConnections() throws Exception {
        recoverFrom(Fault.CONNECTIONS_DEAD);
    }

    @Test
    void clientsRecoverFromTheSilenceOfAPart() throws Exception {
        recoverFrom(Fault.PARTLY_SILENT);
    }

    @Test
    void clientsRecoverFromARestart() throws Exception {
        fixture.needs(Fault.RESTARTED);
        recoverFrom(Fault.RESTARTED, fixture.traits().promises(Promise.SURVIVES_RESTART));
    }

    @Test
    void clientsRecoverFromAFailover() throws Exception {
        recoverFrom(Fault.FAILED_OVER, false);
    }

    /** The client has asked for nothing meanwhile, so it has not noticed that there was an outage. */
    @Test
    void waiterIsServedSoonAlthoughItsGrantWasToldInAnOutageThatNobodyNoticed() throws Exception {
        fixture.needs(Fault.REFUSED);
        WarmClient warm = WarmClient.of(fixture, fixture.exposed());
        fixture.begin(Fault.REFUSED);
        warm.blocking().forEach(Lease::release);
        fixture.end();

        oldWaitsAreServed(warm);
    }

    private void recoverFrom(Fault fault) throws Exception {
        recoverFrom(fault, true);
    }

    private void recoverFrom(Fault fault, boolean locksAreKept) throws Exception {
        fixture.needs(fault);
        WarmClient one = WarmClient.of(fixture, fixture.exposed());
        WarmClient two = WarmClient.of(fixture, fixture.exposed());
        fixture.begin(fault);
        List<Task<Outcome>> threads = new ArrayList<>(keepTrying(one.client()));
        threads.addAll(keepTrying(two.client()));
        // The store gives it to the waiter, and that is not heard.
        one.blocking().get(0).release();
        for (Task<Outcome> thread : threads) {
            thread.result();
        }
        fixture.end();
        Task<Duration> again = fixture.start(() -> untilBothWork(one, two));

        assertThat(again.result()).isLessThan(fixture.recoveryTime());
        if (locksAreKept) {
            oldWaitsAreServed(one);
            oldWaitsAreServed(two);
            oldLeasesAreHeldOrLost(one, fixture.keepsLocks(fault));
            oldLeasesAreHeldOrLost(two, fixture.keepsLocks(fault));
        }
    }

    /** Has threads try for a name each, for longer than one call can take. */
    private List<Task<Outcome>> keepTrying(Holdfast client) {
        List<Task<Outcome>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS_IN_THE_OUTAGE; i++) {
            DistributedLock lock = client.lock(fixture.name());
            threads.add(fixture.start(() -> tryForAWhile(lock)));
        }
        return threads;
    }

    private Outcome tryForAWhile(DistributedLock lock) throws InterruptedException {
        long begin = System.nanoTime();
        Outcome last;
        do {
            last = Outcome.of(() -> lock.tryAcquire(SOON).map(Lease::release));
        } while (System.nanoTime() - begin < fixture.budget(Duration.ZERO).toNanos());
        return last;
    }

    /** {@return after how much time two clients could do everything with each other} */
    private Duration untilBothWork(WarmClient one, WarmClient two) throws Exception {
        long begin = System.nanoTime();
        Task<Boolean> thereAndBack = fixture.plain().run(() -> {
            takeAndGiveBack(one.client());
            takeAndGiveBack(two.client());
            handOver(one.client(), two.client());
            handOver(two.client(), one.client());
        });
        // A lease that is kept goes back when somebody else wants it, which the client has to hear.
        for (WarmClient keeper : List.of(one, two)) {
            WarmClient other = keeper == one ? two : one;
            fixture.plain()
                    .outcome(other.client().lock(keeper.kept().get(0)).acquireAsync())
                    .close();
        }
        thereAndBack.result();
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private void takeAndGiveBack(Holdfast client) {
        fixture.plain()
                .await()
                .ignoreExceptionsInstanceOf(HoldfastException.class)
                .until(() -> {
                    Optional<Lease> lease = client.lock(fixture.name()).tryAcquire();
                    lease.ifPresent(Lease::close);
                    return lease.isPresent();
                });
    }

    private void handOver(Holdfast from, Holdfast to) throws Exception {
        String name = fixture.name();
        Lease lease = fixture.plain().outcome(from.lock(name).acquireAsync());
        CompletableFuture<Lease> next = to.lock(name).acquireAsync();
        if (fixture.traits().promises(Promise.SEES_WAITERS)) {
            fixture.plain().untilWaiters(name, 1);
        }
        lease.release();
        fixture.plain().outcome(next).close();
    }

    private void oldWaitsAreServed(WarmClient warm) throws Exception {
        warm.blocking().forEach(Lease::release);
        long begin = System.nanoTime();
        for (CompletableFuture<Lease> wait : warm.waits()) {
            fixture.plain().outcome(wait).ensureHeld();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("until waits from before the outage were served")
                .isLessThan(fixture.recoveryTime());
    }

    private void oldLeasesAreHeldOrLost(WarmClient warm, boolean held) {
        if (held) {
            assertThat(warm.held()).allMatch(Lease::isHeld);
            assertThat(warm.held()).allMatch(Lease::release);
            assertThat(warm.shared()).allMatch(Lease::release);
        } else {
            // Whoever waits for one of the first few has it by now.
            List<Lease> lost = warm.held().subList(warm.rivalWaits().size(), WarmClient.HELD);
            assertThat(lost).noneMatch(Lease::isHeld);
            fixture.plain()
                    .await()
                    .atMost(fixture.recoveryTime())
                    .untilAsserted(() -> assertThat(lost)
                            .allMatch(lease -> warm.rival()
                                    .lock(lease.name())
                                    .tryAcquire()
                                    .map(Lease::release)
                                    .isPresent()));
        }
    }
}
