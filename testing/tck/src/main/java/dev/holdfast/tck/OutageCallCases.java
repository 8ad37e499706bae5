package dev.holdfast.tck;

import dev.holdfast.DistributedLock;
import dev.holdfast.Election;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastBuilder;
import dev.holdfast.Lease;
import dev.holdfast.tck.Outages.Fault;
import dev.holdfast.tck.Outcome.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/**
 * Every call of a warm client in every kind of outage, all at the same time: each ends within its own wait and one command
 * timeout, and none that heard nothing says "not acquired". P16, P17.
 */
abstract class OutageCallCases {
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration SOON = Duration.ofMillis(50);
    private static final int LEASES_TO_GIVE_BACK = 8;

    private final OutageFixture fixture;
    private final List<Lease> heldByOthers = new ArrayList<>();

    OutageCallCases(OutageFixture fixture) {
        this.fixture = fixture;
    }

    @Test
    void everyCallEndsInTimeAndHonestlyWhileTheStoreIsSilent() throws Exception {
        callEverythingDuring(Fault.SILENT, true);
    }

    @Test
    void everyCallEndsInTimeAndHonestlyWhileConnectionsAreRefused() throws Exception {
        callEverythingDuring(Fault.REFUSED, true);
    }

    @Test
    void everyCallEndsInTimeAndHonestlyWhileConnectionsAreReset() throws Exception {
        callEverythingDuring(Fault.RESET, true);
    }

    @Test
    void everyCallEndsInTimeAndHonestlyWhileRepliesAreLost() throws Exception {
        callEverythingDuring(Fault.REPLIES_LOST, true);
    }

    @Test
    void everyCallEndsInTimeAndHonestlyWhileChangesAreRefused() throws Exception {
        callEverythingDuring(Fault.READS_ONLY, true);
    }

    @Test
    void everyCallEndsInTimeAndHonestlyWhileTheServerIsGone() throws Exception {
        callEverythingDuring(Fault.RESTARTED, true);
    }

    /** New connections work, so every answer is possible; what counts is that dead ones do not add up. */
    @Test
    void everyCallEndsInTimeAlthoughEveryOpenConnectionIsDead() throws Exception {
        callEverythingDuring(Fault.CONNECTIONS_DEAD, false);
    }

    private void callEverythingDuring(Fault fault, boolean nothingIsHeard) throws Exception {
        fixture.needs(fault);
        WarmClient warm = WarmClient.of(fixture, fixture.exposed());
        Answer[] unheard = nothingIsHeard ? new Answer[] {Answer.UNAVAILABLE} : new Answer[0];
        Answer[] unseen = nothingIsHeard && fault != Fault.READS_ONLY ? unheard : new Answer[0];
        List<Attempt> attempts = attempts(warm);
        CountDownLatch unlockNow = new CountDownLatch(1);
        Task<Outcome> unlock = unlockLater(warm.client().lock(fixture.name()).asLock(), unlockNow);
        Election election = elected(warm);
        TimedCalls calls = new TimedCalls(fixture);

        fixture.begin(fault);
        // That a lock is taken may be answered without changing anything.
        boolean readable = fault == Fault.READS_ONLY;
        Answer[] taken = readable ? new Answer[] {Answer.NOT_ACQUIRED, Answer.UNAVAILABLE} : unheard;
        attempts.forEach(
                attempt -> calls.make(attempt.what, attempt.ownWait, attempt.call, attempt.taken ? taken : unheard));
        useWhatIsKept(calls, warm, unheard);
        boolean keeps = fixture.keepsLocks(fault);
        // What was lost has to be asked for.
        askForWhatTheClientItselfHolds(
                calls,
                warm,
                keeps ? new Answer[] {Answer.NOT_ACQUIRED} : new Answer[] {Answer.NOT_ACQUIRED, Answer.UNAVAILABLE});
        Answer[] given = keeps ? new Answer[] {Answer.DONE} : new Answer[] {Answer.DONE, Answer.LOST};
        giveBack(calls, warm, given);
        useJavaLocks(calls, warm, unheard);
        unlockNow.countDown();
        calls.add("unlock()", AT_ONCE, unlock, given);
        interruptAWait(calls, warm.client().lock(fixture.name()));
        look(calls, warm, election, unseen, readable ? new Answer[] {Answer.DONE, Answer.UNAVAILABLE} : unheard);
        HoldfastBuilder another = fixture.exposedBuilder();
        calls.make("connect", AT_ONCE, () -> fixture.plain().opened(another.build()), unseen);
        calls.finish();
        fixture.plain().excuse(warm.client());
        calls.make("close of the client", AT_ONCE, () -> done(warm.client()::close));
        calls.judge();
    }

    /** A try for a name that this client has never asked for. */
    private record Attempt(String what, boolean taken, Duration ownWait, Callable<Optional<Lease>> call) {}

    /** {@return tries of every kind; half of the names are taken, but this client has not heard of that} */
    private List<Attempt> attempts(WarmClient warm) throws InterruptedException {
        List<Attempt> attempts = new ArrayList<>();
        for (Kind kind : fixture.kinds()) {
            for (boolean taken : List.of(true, false)) {
                String what = (taken ? "taken " : "free ") + kind.what() + ", ";
                DistributedLock first = unknown(warm, kind, taken);
                attempts.add(new Attempt(what + "tryAcquire()", taken, AT_ONCE, first::tryAcquire));
                DistributedLock second = unknown(warm, kind, taken);
                attempts.add(new Attempt(what + "tryAcquire(50 ms)", taken, SOON, () -> second.tryAcquire(SOON)));
                DistributedLock third = unknown(warm, kind, taken);
                attempts.add(new Attempt(
                        what + "tryAcquireAsync(0)",
                        taken,
                        AT_ONCE,
                        () -> fixture.plain().outcome(third.tryAcquireAsync(AT_ONCE))));
                DistributedLock fourth = unknown(warm, kind, taken);
                attempts.add(new Attempt(
                        what + "tryAcquireAsync(50 ms)",
                        taken,
                        SOON,
                        () -> fixture.plain().outcome(fourth.tryAcquireAsync(SOON))));
            }
        }
        return attempts;
    }

    /** {@return a lock of a name of its own} */
    private DistributedLock unknown(WarmClient warm, Kind kind, boolean taken) throws InterruptedException {
        String name = fixture.name();
        if (taken) {
            heldByOthers.add(
                    kind.blocker().of(warm.rival(), name, fixture.calm()).acquire());
        }
        return kind.lock().of(warm.client(), name, fixture.calm());
    }

    /**
     * With its own options a kept lease is there at once; with others it has to go back to the store first. Where nothing is
     * kept, every name is one that the store has to be asked for.
     */
    private void useWhatIsKept(TimedCalls calls, WarmClient warm, Answer... unheard) {
        Holdfast client = warm.client();
        List<String> kept = warm.kept();
        calls.make(
                "kept, same options",
                AT_ONCE,
                () -> client.lock(kept.get(0), warm.keptOptions()).tryAcquire(),
                warm.keeps() ? new Answer[] {Answer.ACQUIRED} : unheard);
        calls.make(
                "kept, other options, tryAcquire()",
                AT_ONCE,
                () -> client.lock(kept.get(1)).tryAcquire(),
                unheard);
        calls.make(
                "kept, other options, tryAcquire(50 ms)",
                SOON,
                () -> client.lock(kept.get(2)).tryAcquire(SOON),
                unheard);
        calls.make(
                "kept, other options, tryAcquireAsync(50 ms)",
                SOON,
                () -> fixture.plain().outcome(client.lock(kept.get(3)).tryAcquireAsync(SOON)),
                unheard);
    }

    /** The store need not be asked: this client's own lease is out. */
    private void askForWhatTheClientItselfHolds(TimedCalls calls, WarmClient warm, Answer... own) {
        String name = warm.held().get(WarmClient.HELD - 1).name();
        DistributedLock lock = warm.client().lock(name);
        calls.make("own, tryAcquire()", AT_ONCE, lock::tryAcquire, own);
        calls.make("own, tryAcquire(50 ms)", SOON, () -> lock.tryAcquire(SOON), own);
        calls.make("own, tryAcquireAsync(50 ms)", SOON, () -> fixture.plain().outcome(lock.tryAcquireAsync(SOON)), own);
    }

    /** A release that the store does not answer is not an error. Others wait for the first few of these leases. */
    private void giveBack(TimedCalls calls, WarmClient warm, Answer... given) {
        for (int i = 0; i < LEASES_TO_GIVE_BACK; i++) {
            Lease lease = warm.held().get(i);
            switch (i % 3) {
                case 0 -> calls.make("close of a lease", AT_ONCE, () -> done(lease::close), given);
                case 1 -> calls.make("release", AT_ONCE, lease::release, given);
                default ->
                    calls.make("releaseAsync", AT_ONCE, () -> fixture.plain().outcome(lease.releaseAsync()), given);
            }
        }
        for (Lease lease : warm.shared()) {
            calls.make("close of " + lease.name(), AT_ONCE, () -> done(lease::close), given);
        }
    }

    private void useJavaLocks(TimedCalls calls, WarmClient warm, Answer... unheard) {
        Holdfast client = warm.client();
        Lock kept = client.lock(warm.kept().get(4), warm.keptOptions()).asLock();
        Lock first = client.lock(fixture.name()).asLock();
        Lock second = client.lock(fixture.name()).asLock();
        if (warm.keeps()) {
            calls.make("lock() of a kept name", AT_ONCE, () -> done(kept::lock), Answer.DONE);
        }
        calls.make("tryLock()", AT_ONCE, first::tryLock, unheard);
        calls.make("tryLock(50 ms)", SOON, () -> second.tryLock(SOON.toMillis(), TimeUnit.MILLISECONDS), unheard);
    }

    /** Takes a lock on a thread of its own, which gives it back at a signal. */
    private Task<Outcome> unlockLater(Lock lock, CountDownLatch now) {
        AtomicBoolean locked = new AtomicBoolean();
        Task<Outcome> task = fixture.start(() -> {
            lock.lock();
            locked.set(true);
            now.await();
            return Outcome.of(() -> done(lock::unlock));
        });
        fixture.plain().await().until(locked::get);
        return task;
    }

    private static void interruptAWait(TimedCalls calls, DistributedLock lock) {
        calls.make("interrupted acquire()", SOON, () -> {
            CompletableFuture.delayedExecutor(SOON.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(Thread.currentThread()::interrupt);
            try {
                return lock.acquire();
            } catch (InterruptedException expected) {
                return true;
            }
        });
    }

    private Election elected(WarmClient warm) {
        Election election = warm.client().election(fixture.name());
        election.campaign(lease -> {}, reason -> {});
        fixture.plain().await().until(election::isLeader);
        return election;
    }

    private void look(TimedCalls calls, WarmClient warm, Election election, Answer[] unseen, Answer[] unevicted) {
        Holdfast client = warm.client();
        String name = warm.held().get(WarmClient.HELD - 1).name();
        calls.make("inspect", AT_ONCE, () -> client.inspect(name).isPresent(), unseen);
        calls.make("list", AT_ONCE, () -> client.list(fixture.plain().prefix(), 10), unseen);
        calls.make("ping", AT_ONCE, () -> done(client::ping), unseen);
        calls.make("evict", AT_ONCE, () -> client.evict(fixture.name(), "the contract suite wants it"), unevicted);
        calls.make("leader", AT_ONCE, () -> election.leader().isPresent(), unseen);
        calls.make("resign", AT_ONCE, () -> done(election::resign), Answer.DONE);
    }

    private static boolean done(Fixture.Work work) throws Exception {
        work.run();
        return true;
    }
}
