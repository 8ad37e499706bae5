package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.tck.Outages.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Whatever was given up in an outage is gone from the store soon after, although the client stays open and its leases
 * would last much longer. P20.
 */
abstract class NothingLeftCases {
    private static final Duration SOON = Duration.ofMillis(50);
    private static final int EACH = 6;

    private final OutageFixture fixture;

    NothingLeftCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void nothingIsLeftOfWhatWasGivenUpInSilence() throws Exception {
        giveUpEverythingDuring(Fault.SILENT);
    }

    @Test
    void nothingIsLeftOfWhatWasGivenUpWhileConnectionsWereRefused() throws Exception {
        giveUpEverythingDuring(Fault.REFUSED);
    }

    @Test
    void nothingIsLeftOfWhatWasGivenUpWhileConnectionsWereReset() throws Exception {
        giveUpEverythingDuring(Fault.RESET);
    }

    @Test
    void nothingIsLeftOfWhatWasGivenUpWhileRepliesWereLost() throws Exception {
        giveUpEverythingDuring(Fault.REPLIES_LOST);
    }

    @Test
    void nothingIsLeftOfWhatWasGivenUpWhileChangesWereRefused() throws Exception {
        giveUpEverythingDuring(Fault.READS_ONLY);
    }

    @Test
    void nothingIsLeftOfWhatWasGivenUpOnDeadConnections() throws Exception {
        giveUpEverythingDuring(Fault.CONNECTIONS_DEAD);
    }

    private void giveUpEverythingDuring(Fault fault) throws Exception {
        fixture.needs(fault);
        WarmClient warm = WarmClient.of(fixture, fixture.exposed());
        List<String> names = new ArrayList<>();
        warm.held().forEach(lease -> names.add(lease.name()));
        warm.blocking().forEach(lease -> names.add(lease.name()));
        fixture.begin(fault);
        List<Task<Outcome>> calls = tryInVain(warm.client(), names);
        calls.addAll(giveBack(warm));
        giveUpWaiting(warm, names);
        for (Task<Outcome> call : calls) {
            call.result();
        }
        fixture.end();
        endWhatOthersHave(warm);

        fixture.untilNothingIsLeft();
        for (String name : names) {
            assertThat(warm.rival().lock(name).tryAcquire())
                    .as("%s can be taken by another client", name)
                    .isPresent();
        }
    }

    /** Tries for fresh names in every way; what is acquired nevertheless is given back. */
    private List<Task<Outcome>> tryInVain(Holdfast client, List<String> names) {
        List<Task<Outcome>> calls = new ArrayList<>();
        for (Kind kind : fixture.kinds()) {
            for (int i = 0; i < EACH; i++) {
                DistributedLock lock = kind.lock().of(client, fixture.name(), fixture.calm());
                calls.add(fixture.start(() -> Outcome.of(() -> {
                    Optional<Lease> lease = lock.tryAcquire(SOON);
                    lease.ifPresent(Lease::close);
                    return lease;
                })));
            }
        }
        for (int i = 0; i < EACH; i++) {
            DistributedLock lock = client.lock(fresh(names));
            calls.add(fixture.start(() -> Outcome.of(() -> {
                Optional<Lease> lease = fixture.plain().outcome(lock.tryAcquireAsync(SOON));
                lease.ifPresent(Lease::close);
                return lease;
            })));
        }
        return calls;
    }

    private List<Task<Outcome>> giveBack(WarmClient warm) {
        List<Task<Outcome>> calls = new ArrayList<>();
        List<Lease> leases = new ArrayList<>(warm.held());
        leases.addAll(warm.shared());
        for (Lease lease : leases) {
            calls.add(fixture.start(() -> Outcome.of(lease::release)));
        }
        // With other options, what was kept has to go back first.
        for (String kept : warm.kept()) {
            calls.add(fixture.start(() -> Outcome.of(() -> {
                Optional<Lease> lease = warm.client().lock(kept).tryAcquire(SOON);
                lease.ifPresent(Lease::close);
                return lease;
            })));
        }
        return calls;
    }

    /** Leaves the line: waits from before the outage and new ones, by cancelling and by interrupting. */
    private void giveUpWaiting(WarmClient warm, List<String> names) {
        List<CompletableFuture<Lease>> waits = new ArrayList<>(warm.waits());
        for (int i = 0; i < EACH; i++) {
            waits.add(warm.client().lock(fresh(names)).acquireAsync());
        }
        warm.threads().forEach(Task::interrupt);
        waits.forEach(NothingLeftCases::cancelOrGiveBack);
    }

    private static void cancelOrGiveBack(CompletableFuture<Lease> wait) {
        if (!wait.cancel(false)) {
            wait.thenAccept(Lease::releaseAsync);
        }
    }

    /** Some thread may have been served before it was interrupted; then the rival is served. */
    private void endWhatOthersHave(WarmClient warm) throws Exception {
        warm.blocking().forEach(Lease::release);
        for (Task<Lease> thread : warm.threads()) {
            try {
                thread.result().release();
            } catch (InterruptedException expected) {
                assertThat(thread.isDone()).isTrue();
            }
        }
        for (CompletableFuture<Lease> wait : warm.rivalWaits()) {
            fixture.plain().outcome(wait).release();
        }
    }

    private String fresh(List<String> names) {
        String name = fixture.name();
        names.add(name);
        return name;
    }
}
