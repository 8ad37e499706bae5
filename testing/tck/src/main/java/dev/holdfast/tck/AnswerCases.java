package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DistributedLock;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.StoreTraits.Promise;
import dev.holdfast.tck.Outages.Fault;
import dev.holdfast.tck.Outcome.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * On a store that answers, nobody is told that it does not, however short the wait and however many wait. What a client
 * knows is an answer: its own lease is out, or the store's last word was "taken". P16.
 */
abstract class AnswerCases {
    private static final int WAITERS = 20;
    private static final Duration A_WHILE = Duration.ofMillis(300);
    private static final List<Duration> TINY_WAITS = List.of(
            Duration.ofNanos(1_000),
            Duration.ofNanos(10_000),
            Duration.ofNanos(100_000),
            Duration.ofMillis(1),
            Duration.ofMillis(3));
    private static final int TINY_ROUNDS = 8;
    private static final int BUSY_THREADS = 6;
    private static final int BUSY_ROUNDS = 100;
    private static final int CAPACITY = 4;

    private final OutageFixture fixture;

    AnswerCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void waitersWithLabelsOfTheirOwnAreToldThatItIsTaken() throws Exception {
        String name = fixture.name();
        Holdfast client = fixture.patient();
        takenBy(fixture.plain().client().lock(name), waiter -> labelled(client, name, waiter));
    }

    @Test
    void waitersForPermitsOfTwoSizesAreToldThatThereIsNoRoom() throws Exception {
        fixture.plain().needs(Promise.SEMAPHORE);
        String name = fixture.name();
        Holdfast client = fixture.patient();
        Holdfast other = fixture.plain().client();
        takenBy(
                other.semaphore(name, CAPACITY).permits(CAPACITY),
                waiter -> client.semaphore(name, CAPACITY).permits(1 + waiter % 2));
    }

    @Test
    void writersAndReadersAreToldThatItIsTaken() throws Exception {
        fixture.plain().needs(Promise.READ_WRITE);
        String name = fixture.name();
        Holdfast client = fixture.patient();
        takenBy(
                fixture.plain().client().readWriteLock(name).writeLock(),
                waiter -> waiter % 2 == 0
                        ? client.readWriteLock(name).writeLock()
                        : client.readWriteLock(name).readLock());
    }

    @Test
    void waitersForSeveralNamesAreToldThatOneIsTaken() throws Exception {
        fixture.plain().needs(Promise.SEVERAL_NAMES);
        List<String> names = List.of(fixture.name(), fixture.name());
        Holdfast client = fixture.patient();
        takenBy(
                fixture.plain().client().lock(names.get(1)),
                waiter -> client.all(names, fixture.calm().withLabel("waiter " + waiter)));
    }

    /** Many wait, with and without a thread, while somebody else holds the lock all the time. */
    private void takenBy(DistributedLock blocker, IntFunction<DistributedLock> waiter) throws Exception {
        Lease held = blocker.acquire();
        List<Callable<Optional<Lease>>> waits = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            DistributedLock lock = waiter.apply(i);
            waits.add(() -> lock.tryAcquire(A_WHILE));
            waits.add(() -> fixture.plain().outcome(lock.tryAcquireAsync(A_WHILE)));
        }
        assertThat(answersOf(waits)).containsOnly(Answer.NOT_ACQUIRED);
        assertThat(held.isHeld()).isTrue();
    }

    /** The lease comes back so late that the answer to the next claim comes after the waits are over. */
    @Test
    void waitersWhoseOwnClientHeldTheLockUntilShortlyBeforeTheyLeftAreNotToldThatNobodyKnows() throws Exception {
        fixture.needs(Fault.SLOW);
        String name = fixture.name();
        Holdfast client = fixture.patient();
        Lease own = client.lock(name).acquire();
        fixture.begin(Fault.SLOW);
        List<Task<Outcome>> waiters = labelledWaiters(client, name);
        releaseBeforeTheEnd(own);

        // Whether the first of them still got the lock depends on the moment; that it is known does not.
        assertThat(answers(waiters)).isSubsetOf(Answer.ACQUIRED, Answer.NOT_ACQUIRED);
    }

    @Test
    void waitersWhoseOwnClientGaveTheLockToAnotherShortlyBeforeTheyLeftAreToldThatItIsTaken() throws Exception {
        fixture.needs(Fault.SLOW);
        fixture.plain().needs(Promise.SEES_WAITERS, Promise.FAIR);
        String name = fixture.name();
        Holdfast client = fixture.patient();
        Lease own = client.lock(name).acquire();
        CompletableFuture<Lease> next = fixture.plain().client().lock(name).acquireAsync();
        fixture.plain().untilWaiters(name, 1);
        fixture.begin(Fault.SLOW);
        List<Task<Outcome>> waiters = labelledWaiters(client, name);
        releaseBeforeTheEnd(own);

        assertThat(answers(waiters)).containsOnly(Answer.NOT_ACQUIRED);
        assertThat(fixture.plain().outcome(next).isHeld()).isTrue();
    }

    private List<Task<Outcome>> labelledWaiters(Holdfast client, String name) {
        List<Task<Outcome>> waiters = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            DistributedLock lock = labelled(client, name, i);
            waiters.add(fixture.start(() -> Outcome.of(() -> lock.tryAcquire(A_WHILE))));
        }
        waiters.forEach(Task::untilWaiting);
        return waiters;
    }

    /** Gives a lease back when less than the time that a slow store needs is left of waits that have just begun. */
    private void releaseBeforeTheEnd(Lease own) {
        long begin = System.nanoTime();
        long untilRelease = A_WHILE.toNanos() - Outages.SLOWNESS.toNanos() / 2;
        fixture.plain().await().until(() -> System.nanoTime() - begin > untilRelease);
        own.release();
    }

    @Test
    void tinyWaitsForWhatIsTakenAreAnswered() throws Exception {
        Holdfast client = fixture.patient();
        Holdfast other = fixture.plain().client();
        for (Kind kind : fixture.kinds()) {
            String name = fixture.name();
            Lease held = kind.blocker().of(other, name, fixture.calm()).acquire();
            DistributedLock lock = kind.lock().of(client, name, fixture.calm());
            for (int round = 0; round < TINY_ROUNDS; round++) {
                assertThat(inTurn(tiny(List.of(lock)))).as(kind.what()).containsOnly(Answer.NOT_ACQUIRED);
            }
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void tinyWaitsForWhatTheClientItselfHoldsAreAnswered() throws Exception {
        Holdfast client = fixture.patient();
        for (Kind kind : fixture.kinds()) {
            String name = fixture.name();
            Lease held = kind.blocker().of(client, name, fixture.calm()).acquire();
            for (int round = 0; round < TINY_ROUNDS; round++) {
                String label = "waiter " + round;
                List<DistributedLock> locks = List.of(
                        kind.lock().of(client, name, fixture.calm()),
                        kind.lock().of(client, name, fixture.calm().withLabel(label)));
                assertThat(inTurn(tiny(locks))).as(kind.what()).containsOnly(Answer.NOT_ACQUIRED);
            }
            assertThat(held.isHeld()).isTrue();
        }
    }

    @Test
    void tinyWaitsForWhatIsFreeGetIt() throws Exception {
        Holdfast client = fixture.patient();
        for (Kind kind : fixture.kinds()) {
            assertThat(inTurn(tinyOnFreshNames(kind, client))).as(kind.what()).containsOnly(Answer.ACQUIRED);
        }
    }

    /** The answer comes after the wait is over, but well within the command timeout. */
    @Test
    void tinyWaitsOnASlowStoreAreAnswered() throws Exception {
        fixture.needs(Fault.SLOW);
        Holdfast client = fixture.patient();
        Holdfast other = fixture.plain().client();
        List<DistributedLock> taken = new ArrayList<>();
        List<Lease> held = new ArrayList<>();
        List<Callable<Optional<Lease>>> forFree = new ArrayList<>();
        for (Kind kind : fixture.kinds()) {
            String name = fixture.name();
            held.add(kind.blocker().of(other, name, fixture.calm()).acquire());
            taken.add(kind.lock().of(client, name, fixture.calm()));
            forFree.addAll(tinyOnFreshNames(kind, client));
        }
        client.ping();
        fixture.begin(Fault.SLOW);

        assertThat(answersOf(tiny(taken))).as("taken").containsOnly(Answer.NOT_ACQUIRED);
        assertThat(answersOf(forFree)).as("free").containsOnly(Answer.ACQUIRED);
        assertThat(held).allMatch(Lease::isHeld);
    }

    @Test
    void manyThreadsOfSeveralClientsWithTinyWaitsAreAllAnswered() throws Exception {
        List<String> names = List.of(fixture.name(), fixture.name(), fixture.name());
        List<Task<List<Outcome>>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Holdfast client = fixture.patient();
            for (int thread = 0; thread < BUSY_THREADS; thread++) {
                threads.add(fixture.start(() -> beBusy(client, names)));
            }
        }
        List<Outcome> unexpected = new ArrayList<>();
        for (Task<List<Outcome>> thread : threads) {
            unexpected.addAll(thread.result());
        }
        assertThat(unexpected).isEmpty();
    }

    /** {@return what ended neither as acquired nor as not acquired} */
    private List<Outcome> beBusy(Holdfast client, List<String> names) throws InterruptedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        List<Outcome> unexpected = new ArrayList<>();
        for (int round = 0; round < BUSY_ROUNDS; round++) {
            DistributedLock lock = labelled(client, names.get(random.nextInt(names.size())), random.nextInt(2));
            Duration wait = TINY_WAITS.get(random.nextInt(TINY_WAITS.size()));
            boolean async = random.nextBoolean();
            Outcome outcome = Outcome.of(
                    () -> closed(async ? fixture.plain().outcome(lock.tryAcquireAsync(wait)) : lock.tryAcquire(wait)));
            if (outcome.answer() != Answer.ACQUIRED && outcome.answer() != Answer.NOT_ACQUIRED) {
                unexpected.add(outcome);
            }
        }
        return unexpected;
    }

    private DistributedLock labelled(Holdfast client, String name, int waiter) {
        return client.lock(name, fixture.calm().withLabel("waiter " + waiter));
    }

    /** {@return waits of every length for each lock, with and without a thread} */
    private List<Callable<Optional<Lease>>> tiny(List<DistributedLock> locks) {
        List<Callable<Optional<Lease>>> waits = new ArrayList<>();
        for (DistributedLock lock : locks) {
            for (Duration wait : TINY_WAITS) {
                waits.add(() -> closed(lock.tryAcquire(wait)));
                waits.add(() -> closed(fixture.plain().outcome(lock.tryAcquireAsync(wait))));
            }
        }
        return waits;
    }

    private List<Callable<Optional<Lease>>> tinyOnFreshNames(Kind kind, Holdfast client) {
        List<Callable<Optional<Lease>>> waits = new ArrayList<>();
        for (Duration wait : TINY_WAITS) {
            DistributedLock first = kind.lock().of(client, fixture.name(), fixture.calm());
            DistributedLock second = kind.lock().of(client, fixture.name(), fixture.calm());
            waits.add(() -> closed(first.tryAcquire(wait)));
            waits.add(() -> closed(fixture.plain().outcome(second.tryAcquireAsync(wait))));
        }
        return waits;
    }

    private static Optional<Lease> closed(Optional<Lease> acquired) {
        acquired.ifPresent(Lease::close);
        return acquired;
    }

    private static List<Answer> inTurn(List<Callable<Optional<Lease>>> waits) throws InterruptedException {
        List<Answer> answers = new ArrayList<>();
        for (Callable<Optional<Lease>> wait : waits) {
            answers.add(Outcome.of(wait).answer());
        }
        return answers;
    }

    private List<Answer> answersOf(List<Callable<Optional<Lease>>> waits) throws Exception {
        List<Task<Outcome>> tasks = new ArrayList<>();
        for (Callable<Optional<Lease>> wait : waits) {
            tasks.add(fixture.start(() -> Outcome.of(wait)));
        }
        return answers(tasks);
    }

    private static List<Answer> answers(List<Task<Outcome>> tasks) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (Task<Outcome> task : tasks) {
            answers.add(task.result().answer());
        }
        return answers;
    }
}
