package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.Lease;
import dev.holdfast.tck.Outages.Fault;
import dev.holdfast.tck.Outcome.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Clients that work through one outage after another, without a break. P17, P19 and P20 together. */
abstract class OneAfterAnotherCases {
    private static final int CLIENTS = 2;
    private static final int THREADS = 4;
    private static final int NAMES = 3;
    private static final int LONGEST_WAIT_MILLIS = 100;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Faults of the server would end every lease, and their tests are others. */
    private static final Set<Fault> FAULTS =
            EnumSet.complementOf(EnumSet.of(Fault.RESTARTED, Fault.FAILED_OVER, Fault.PARTLY_SILENT));

    private final OutageFixture fixture;

    OneAfterAnotherCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void clientsThatWorkThroughManyOutagesAreAlwaysInTimeAndLeaveNothing() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            names.add(fixture.name());
        }
        List<Holdfast> clients = new ArrayList<>();
        List<Busy> workers = new ArrayList<>();
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < CLIENTS; i++) {
            Holdfast client = fixture.exposed();
            clients.add(client);
            for (int thread = 0; thread < THREADS; thread++) {
                workers.add(new Busy(client, names));
            }
        }
        List<Task<List<String>>> tasks = new ArrayList<>();
        workers.forEach(worker -> tasks.add(fixture.start(() -> worker.workUntil(stop))));
        for (Fault fault : FAULTS) {
            if (fixture.isPossible(fault)) {
                untilEachHasWorked(workers, 3);
                fixture.begin(fault);
                untilEachHasWorked(workers, 2);
                fixture.end();
            }
        }
        untilEachHasWorked(workers, 3);
        stop.set(true);
        for (Task<List<String>> task : tasks) {
            assertThat(task.result()).as("complaints of a thread").isEmpty();
        }
        fixture.untilNothingIsLeft();
        for (Holdfast client : clients) {
            names.forEach(name -> takeSoon(client, name));
        }
    }

    private void untilEachHasWorked(List<Busy> workers, int more) {
        Map<Busy, Integer> goals = new HashMap<>();
        workers.forEach(worker -> goals.put(worker, worker.rounds.get() + more));
        fixture.plain()
                .await()
                .until(() -> workers.stream().allMatch(worker -> worker.rounds.get() >= goals.getOrDefault(worker, 0)));
    }

    private void takeSoon(Holdfast client, String name) {
        fixture.plain()
                .await()
                .atMost(fixture.recoveryTime())
                .ignoreExceptionsInstanceOf(HoldfastException.class)
                .until(() -> {
                    Optional<Lease> lease = client.lock(name).tryAcquire();
                    lease.ifPresent(Lease::release);
                    return lease.isPresent();
                });
    }

    /** One thread that takes and gives back in every way, and measures itself. */
    private final class Busy {
        private final Holdfast client;
        private final List<String> names;
        private final List<String> complaints = new ArrayList<>();
        private final AtomicInteger rounds = new AtomicInteger();

        Busy(Holdfast client, List<String> names) {
            this.client = client;
            this.names = names;
        }

        List<String> workUntil(AtomicBoolean stop) throws InterruptedException {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            while (!stop.get()) {
                DistributedLock lock = client.lock(names.get(random.nextInt(names.size())));
                Duration wait = Duration.ofMillis(random.nextInt(LONGEST_WAIT_MILLIS));
                List<Lease> taken = new ArrayList<>();
                switch (random.nextInt(4)) {
                    case 0 ->
                        measure(
                                "tryAcquire()",
                                Duration.ZERO,
                                () -> lock.tryAcquire().map(taken::add));
                    case 1 ->
                        measure(
                                "tryAcquire(" + wait + ")",
                                wait,
                                () -> lock.tryAcquire(wait).map(taken::add));
                    case 2 ->
                        measure(
                                "tryAcquireAsync(" + wait + ")",
                                wait,
                                () -> fixture.plain()
                                        .outcome(lock.tryAcquireAsync(wait))
                                        .map(taken::add));
                    default -> measure("cancel", wait, () -> cancel(lock.acquireAsync(), wait));
                }
                for (Lease lease : taken) {
                    measure("release", Duration.ZERO, lease::release);
                }
                rounds.incrementAndGet();
                // This is about outages. Threads that never pause would keep each other from running instead.
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return complaints;
        }

        private void measure(String what, Duration wait, Callable<?> call) throws InterruptedException {
            Outcome outcome = Outcome.of(call);
            if (outcome.answer() == Answer.FAILED || outcome.took().compareTo(fixture.budget(wait)) > 0) {
                complaints.add(what + " took " + outcome.took().toMillis() + " ms: " + outcome.detail());
            }
        }

        private boolean cancel(CompletableFuture<Lease> future, Duration wait) throws Exception {
            try {
                return future.get(wait.toNanos(), TimeUnit.NANOSECONDS).release();
            } catch (TimeoutException late) {
                return future.cancel(false) || future.join().release();
            }
        }
    }
}
