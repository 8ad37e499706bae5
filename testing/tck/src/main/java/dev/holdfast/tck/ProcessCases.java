package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockView;
import dev.holdfast.StoreTraits.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that hold, wait, are killed and are paused: P1, P4, P10, P11, P12, P13. */
abstract class ProcessCases {
    private static final int PROCESSES = 4;
    private static final int ROUNDS_PER_PROCESS = 50;

    private final Fixture fixture;
    private final String name;

    ProcessCases(Fixture fixture) {
        this.fixture = fixture;
        this.name = fixture.name();
    }

    @BeforeEach
    void needsProcesses() {
        fixture.needs(Promise.BETWEEN_PROCESSES);
    }

    @Test
    void manyProcessesNeverOverlapAndTokensTellTheirOrder(@TempDir Path directory) throws Exception {
        Path counter = Files.writeString(directory.resolve("counter"), "0");
        Path tokens = Files.createFile(directory.resolve("tokens"));
        List<WorkerProcess> workers = Stream.generate(() -> fixture.worker(fixture.calm()))
                .limit(PROCESSES)
                .toList();
        for (WorkerProcess worker : workers) {
            worker.ready().tell("count %s %s %s %d".formatted(name, counter, tokens, ROUNDS_PER_PROCESS));
        }
        for (WorkerProcess worker : workers) {
            worker.expect("counted");
        }

        assertThat(Files.readString(counter)).isEqualTo(Integer.toString(PROCESSES * ROUNDS_PER_PROCESS));
        assertThat(Files.readAllLines(tokens).stream().map(Long::valueOf))
                .hasSize(PROCESSES * ROUNDS_PER_PROCESS)
                .doesNotHaveDuplicates()
                .isSorted();
    }

    @Test
    void holderInAnotherProcessIsSeenAndExcludesThisOne() throws Exception {
        WorkerProcess worker = fixture.worker(fixture.calm()).ready();
        worker.tell("try " + name);
        long token = worker.token();

        assertThat(fixture.client().lock(name).tryAcquire()).isEmpty();
        assertThat(fixture.observer().inspect(name).orElseThrow().holders())
                .singleElement()
                .satisfies(holder -> {
                    assertThat(holder.clientName()).startsWith("tck-worker-");
                    assertThat(holder.token()).isEqualTo(token);
                });
        assertThat(worker.ask("release")).isEqualTo("released true");
        assertThat(fixture.client().lock(name).tryAcquire())
                .hasValueSatisfying(lease -> assertThat(lease.token()).isGreaterThan(token));
    }

    @Test
    void lockOfAKilledProcessIsGrantedAgain() throws Exception {
        WorkerProcess worker = fixture.worker(fixture.renewed()).ready();
        worker.tell("try " + name);
        long token = worker.token();
        Holdfast client = fixture.client();
        CompletableFuture<Lease> waiter = client.lock(name).acquireAsync();
        worker.kill();

        assertThat(fixture.outcome(waiter).token()).isGreaterThan(token);
    }

    @Test
    void lockOfAKilledProcessIsFreeBeforeItsLeaseIsOver() throws Exception {
        fixture.needs(Promise.DEATH_SEEN_AT_ONCE);
        WorkerProcess worker = fixture.worker(
                        fixture.calm().withLeaseTime(fixture.traits().longestLease()))
                .ready();
        worker.tell("try " + name);
        long token = worker.token();
        worker.kill();

        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(token);
    }

    @Test
    void lockOfAProcessThatEndsInOrderIsFreeAtOnce() throws Exception {
        WorkerProcess worker = fixture.worker(fixture.calm()).ready();
        worker.tell("try " + name);
        long token = worker.token();
        worker.close();

        assertThat(fixture.client().lock(name).tryAcquire())
                .hasValueSatisfying(lease -> assertThat(lease.token()).isGreaterThan(token));
    }

    @Test
    void pausedHolderKnowsOfItsLossInItsFirstCallAfterWakingAndHasTheSmallerToken() throws Exception {
        fixture.needs(Promise.PAUSED_HOLDER_IS_REPLACED);
        WorkerProcess worker = fixture.worker(fixture.renewed()).ready();
        worker.tell("try " + name);
        long token = worker.token();
        assertThat(worker.ask("held")).isEqualTo("held true");
        worker.pause();
        Lease next = fixture.client().lock(name).tryAcquire(fixture.patience()).orElseThrow();
        worker.tell("held");
        worker.tell("release");
        worker.resume();

        worker.expect("held false");
        worker.expect("released false");
        assertThat(next.token()).isGreaterThan(token);
        assertThat(fixture.client().lock(name).tryAcquire())
                .as("the next still holds")
                .isEmpty();
        assertThat(next.isHeld()).isTrue();
    }

    @Test
    void pausedHolderThatIsNotReplacedStillHoldsWhenItWakes() throws Exception {
        fixture.needsNot(Promise.PAUSED_HOLDER_IS_REPLACED);
        WorkerProcess worker = fixture.worker(fixture.brief()).ready();
        worker.tell("try " + name);
        long token = worker.token();
        worker.pause();
        assertThat(fixture.client().lock(name).tryAcquire(fixture.shortLease().multipliedBy(3)))
                .as("the lock of a paused process")
                .isEmpty();
        worker.resume();

        assertThat(worker.ask("held")).isEqualTo("held true");
        assertThat(worker.ask("release")).isEqualTo("released true");
        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(token);
    }

    @Test
    void killedWaiterIsSkipped() throws Exception {
        Lease held = fixture.client().lock(name, fixture.renewed()).acquire();
        WorkerProcess worker = fixture.worker(fixture.renewed()).ready();
        assertThat(worker.ask("wait " + name)).isEqualTo("waiting");
        if (fixture.traits().promises(Promise.SEES_WAITERS)) {
            fixture.untilWaiters(name, 1);
        }
        CompletableFuture<Lease> behind =
                fixture.client().lock(name, fixture.renewed()).acquireAsync();
        worker.kill();
        held.close();

        assertThat(fixture.outcome(behind).token()).isGreaterThan(held.token());
    }

    @Test
    void processesAreServedInOrderOfArrival() throws Exception {
        fixture.needs(Promise.FAIR, Promise.SEES_WAITERS);
        Lease held = fixture.client().lock(name).acquire();
        List<WorkerProcess> line = Stream.generate(() -> fixture.worker(fixture.calm()))
                .limit(PROCESSES)
                .toList();
        int waiting = 0;
        for (WorkerProcess worker : line) {
            assertThat(worker.ready().ask("wait " + name)).isEqualTo("waiting");
            fixture.untilWaiters(name, ++waiting);
        }
        List<Long> tokens = new ArrayList<>(List.of(held.token()));
        held.close();
        for (WorkerProcess worker : line) {
            tokens.add(worker.token());
            assertThat(worker.ask("release")).isEqualTo("released true");
        }

        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void evictionReachesAHolderInAnotherProcess() throws Exception {
        WorkerProcess worker = fixture.worker(fixture.renewed()).ready();
        worker.tell("try " + name);
        long token = worker.token();
        assertThat(fixture.client().evict(name, "the contract suite wants it")).isEqualTo(1);
        fixture.await().until(() -> worker.ask("held").equals("held false"));

        assertThat(fixture.takeInTheEnd(fixture.client(), name)).isGreaterThan(token);
        assertThat(fixture.observer().inspect(name).flatMap(LockView::lastEviction))
                .isPresent();
    }
}
