package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.HoldfastListener;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gates of one client and what they share. Wires the parts together, makes the calls that belong to a caller's
 * thread, and finds the gate or grant that something concerns. Thread-safe.
 */
final class Engine {
    private static final int MOST_IDLE_GATES = 1_024;

    /** What closing may take beyond one command timeout. */
    private static final long CLOSING_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** How long after its deadline a wait may make the request that it began with. */
    private static final long ASKING_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    final String clientName;
    final Timeline timeline;
    final StoreCalls calls;
    final Executor callbacks;
    final Events events;
    final Pace pace;
    final boolean staysAwake;
    final Renewer renewer = new Renewer(this);
    final Poller poller = new Poller(this);
    final StoreCleanup cleanup = new StoreCleanup(this);
    final Deadlines deadlines = new Deadlines();
    final LostSessions lostSessions = new LostSessions();
    final HandOverCost handOverCost = new HandOverCost();
    final LeakWatch leaks = new LeakWatch();

    private final MonotonicClock clock;
    private final Supplier<OwnerId> owners;
    private final long commandTimeoutNanos;
    private final ConcurrentMap<String, Gate> gates = new ConcurrentHashMap<>();

    /** Shared claims by owner, from their first request until their grant has ended; others are found by their gate. */
    private final ConcurrentMap<OwnerId, Contender> claims = new ConcurrentHashMap<>();

    /** Whether there has been a gate of writers. */
    private volatile boolean hasWriters;

    private @Nullable LockStore store;
    private boolean seesWaiters;
    private boolean pushes;
    private boolean endsWithSession;
    private volatile boolean closed;

    Engine(String clientName, Surroundings surroundings, @Nullable HoldfastListener listener) {
        this.clientName = clientName;
        this.clock = surroundings.clock();
        this.timeline = surroundings.timeline();
        this.calls = surroundings.calls();
        this.callbacks = surroundings.callbacks();
        this.owners = surroundings.owners();
        this.commandTimeoutNanos = surroundings.commandTimeout().toNanos();
        this.staysAwake = surroundings.staysAwake();
        this.pace = new Pace(surroundings.random());
        this.events =
                new Events(listener, callbacks, timeline, this::now, listener == null ? null : new Statistics(this));
    }

    /** Tells the engine its store; called once, before anything else. */
    void attach(LockStore opened) {
        StoreTraits traits = opened.traits();
        store = events.timed(opened, clock);
        seesWaiters = traits.promises(StoreTraits.Promise.SEES_WAITERS);
        pushes = traits.promises(StoreTraits.Promise.PUSHES);
        endsWithSession = traits.expiry() == StoreTraits.Expiry.SESSION;
    }

    /**
     * Acquires on the calling thread; with no time to wait it tries once.
     *
     * @return the lease, or null if somebody else has the lock
     */
    @Nullable
    HeldLease acquire(Terms terms, long waitNanos) throws InterruptedException {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, waitNanos);
        callHere(enter(waiter), waiter);
        waiter.await();
        return waiter.outcome();
    }

    /** Acquires on the calling thread and stays in line when interrupted. */
    HeldLease acquireUninterruptibly(Terms terms) {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, Long.MAX_VALUE);
        callHere(enter(waiter), waiter);
        waiter.awaitUninterruptibly();
        return Objects.requireNonNull(waiter.outcome(), "a wait without limit ends with a lease");
    }

    /** Tries once on the calling thread. */
    @Nullable
    HeldLease tryAcquire(Terms terms) {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, 0);
        callHere(enter(waiter), waiter);
        waiter.awaitUninterruptibly();
        return waiter.outcome();
    }

    /** Acquires without a thread; completes with null if somebody else has the lock. */
    CompletableFuture<@Nullable HeldLease> acquireAsync(Terms terms, long waitNanos) {
        return new FutureWaiter(this, terms, waitNanos).start();
    }

    /** Lets a waiter in; returns a claim whose first call the caller has to make, or null. */
    @Nullable
    Contender enter(Waiter waiter) {
        Terms terms = waiter.terms;
        while (true) {
            Gate gate = gates.get(terms.gateKey);
            if (gate == null) {
                if (terms.passesLocally && !terms.isPlainLock()) {
                    hasWriters = true;
                }
                gate = gates.computeIfAbsent(
                        terms.gateKey,
                        key -> terms.passesLocally ? new ExclusiveGate(this, key) : new SharedGate(this, key));
            }
            if (gate.enter(waiter)) {
                break;
            }
            gates.remove(terms.gateKey, gate);
        }
        Contender first = waiter.assignment;
        if (first != null) {
            first.isAskedBefore(
                    waiter.deadlineNanos == Long.MAX_VALUE
                            ? waiter.deadlineNanos
                            : waiter.deadlineNanos + ASKING_SLACK_NANOS);
            endIdleGrantsOfSameNames(first);
        }
        return first;
    }

    /** An idle grant of the same name that is kept at another gate must not stand in the way. */
    private void endIdleGrantsOfSameNames(Contender first) {
        if (first.terms.isPlainLock() && !hasWriters) {
            return;
        }
        for (Claim.Part part : first.terms.parts) {
            forEachExclusiveGateOf(part.name(), rival -> {
                HeldGrant idle = rival == first.gate ? null : rival.yieldIdle();
                if (idle != null) {
                    first.releasesFirst(idle);
                }
            });
        }
    }

    private void callHere(@Nullable Contender first, Waiter waiter) {
        Contender next = first;
        // Earlier than the request was sent, which is the safe side, and saves a look at the clock.
        long sent = waiter.startedNanos;
        while (next != null) {
            AcquireOutcome outcome = null;
            Throwable failure = null;
            try {
                outcome = next.firstCall(store());
            } catch (Throwable unanswered) {
                failure = unanswered;
            }
            next = next.gate.answered(next, sent, outcome, failure);
            sent = now();
        }
    }

    void callInBackground(Contender contender) {
        calls.submit(StoreCalls.Lane.ORDINARY, contender::isNeeded, contender::firstCall, (sent, outcome, failure) -> {
            Contender next = contender.gate.answered(contender, sent, outcome, failure);
            if (next != null) {
                callInBackground(next);
            }
        });
    }

    ReleaseResult release(Hold hold) {
        cleanup.releaseBegins();
        try {
            ReleaseResult result = hold.grant.gate.release(hold);
            if (result != ReleaseResult.RELEASE_AT_STORE) {
                return result;
            }
            long sent = now();
            return releasedAtStore(hold, sent, StoreCleanup.tryRelease(store(), hold.grant.grants));
        } finally {
            cleanup.releaseEnds();
        }
    }

    CompletableFuture<ReleaseResult> releaseAsync(Hold hold) {
        cleanup.expectsReply();
        ReleaseResult result = hold.grant.gate.release(hold);
        if (result != ReleaseResult.RELEASE_AT_STORE) {
            cleanup.gotReply();
            return CompletableFuture.completedFuture(result);
        }
        CompletableFuture<ReleaseResult> later = new CompletableFuture<>();
        calls.submit(StoreCalls.Lane.CLEANUP, to -> to.release(hold.grant.grants), (sent, outcomes, failure) -> {
            ReleaseResult answer = releasedAtStore(hold, sent, outcomes);
            cleanup.gotReply();
            callbacks.execute(() -> later.complete(answer));
        });
        return later;
    }

    private ReleaseResult releasedAtStore(Hold hold, long sentNanos, @Nullable List<ReleaseOutcome> outcomes) {
        HeldGrant released = hold.grant;
        boolean wasHeld = cleanup.released(released, outcomes);
        if (released.wanted && outcomes != null) {
            long now = now();
            handOverCost.measured(now - sentNanos);
            if (released.gate instanceof ExclusiveGate exclusive) {
                exclusive.releasedAtStore(now);
            }
        }
        if (!pushes) {
            hintLocals(released.terms);
        }
        if (wasHeld) {
            return ReleaseResult.RELEASED;
        }
        released.noticeNotHeld(hold);
        return ReleaseResult.LOST_BEFORE;
    }

    /** A store that does not tell waiters of a release leaves that to the client, as far as it can. */
    private void hintLocals(Terms released) {
        for (String key : released.servedKeys()) {
            Gate gate = gates.get(key);
            if (gate != null) {
                gate.hint(null);
            }
        }
    }

    Claim newClaim(Terms terms, boolean queue) {
        return new Claim(terms.parts, owners.get(), terms.options.leaseTime(), terms.holder, queue);
    }

    /** For a claim that is refused: when to ask again, if nothing is heard before. */
    long pollDelay(long hintNanos) {
        long delay = pace.pollDelay(hintNanos);
        if (!pushes) {
            handOverCost.pollsEvery(delay);
        }
        return delay;
    }

    /** By when everything that was asked before a moment must have been answered. */
    long longestAnswerBy(long nanos) {
        return nanos + commandTimeoutNanos;
    }

    /** Gives back the leases whose handles were forgotten. */
    void releaseForgotten() {
        leaks.forEachForgotten(hold -> {
            if (hold.state == Hold.State.HELD) {
                callbacks.execute(() -> events.leaked(hold));
                releaseAsync(hold);
            }
        });
    }

    /** Ends leases whose time may have passed while the monotonic clock stood still. */
    void timeJumped(long byNanos) {
        deadlines.timeJumped(now(), byNanos);
        forEachGrant(held -> held.shorten(byNanos));
    }

    void forEachGrant(Consumer<HeldGrant> action) {
        for (Gate gate : gates.values()) {
            if (gate instanceof ExclusiveGate exclusive) {
                visit(exclusive.grant(), action);
            }
        }
        claims.values().forEach(claim -> visit(claim.grant(), action));
    }

    /** As {@link #forEachGrant}, but only those that can be of an owner. */
    void forEachGrantOf(String name, OwnerId owner, Consumer<HeldGrant> action) {
        Contender shared = claims.get(owner);
        if (shared != null) {
            visit(shared.grant(), action);
        } else {
            forEachExclusiveGateOf(name, gate -> visit(gate.grant(), action));
        }
    }

    private static void visit(@Nullable HeldGrant held, Consumer<HeldGrant> action) {
        if (held != null) {
            action.accept(held);
        }
    }

    /** The gates that an owner may contend at. */
    void forEachGateOf(String name, OwnerId owner, Consumer<Gate> action) {
        Contender shared = claims.get(owner);
        if (shared != null) {
            action.accept(shared.gate);
        } else {
            forEachExclusiveGateOf(name, action::accept);
        }
    }

    void forEachExclusiveGateOf(String name, Consumer<ExclusiveGate> action) {
        for (String key : Terms.passingKeys(name)) {
            if (gates.get(key) instanceof ExclusiveGate gate) {
                action.accept(gate);
            }
        }
    }

    void register(Contender shared) {
        claims.put(shared.claim.owner(), shared);
    }

    @Nullable
    Contender registered(OwnerId owner) {
        return claims.get(owner);
    }

    boolean unregister(OwnerId owner) {
        return claims.remove(owner) != null;
    }

    /** Making a gate for each use of a lock would cost as much as the rest; keeping them all would be a leak. */
    boolean keepsIdleGates() {
        return !closed && gates.size() <= MOST_IDLE_GATES;
    }

    /** Lets go of gates that nobody uses. */
    void sweepGates() {
        gates.values().forEach(Gate::sweep);
    }

    void retired(Gate gate) {
        gates.remove(gate.key, gate);
    }

    /**
     * Ends everything and gives it back, as far as the store can be reached within one command timeout; called once.
     *
     * @return when closing must be over
     */
    long close() {
        long until = now() + longestClosingNanos();
        closed = true;
        events.hurry();
        gates.values().forEach(Gate::close);
        claims.values().forEach(claim -> claim.gate.closeDirect(claim));
        forEachGrant(HeldGrant::close);
        cleanup.hurry();
        calls.finish(cleanup::isDone, until);
        sweepGates();
        return until;
    }

    long longestClosingNanos() {
        return commandTimeoutNanos + CLOSING_SLACK_NANOS;
    }

    LockStore store() {
        return Objects.requireNonNull(store, "store");
    }

    void ensureOpen() {
        if (closed) {
            throw new ClientClosedException(clientName);
        }
    }

    boolean isClosed() {
        return closed;
    }

    boolean seesWaiters() {
        return seesWaiters;
    }

    boolean endsWithSession() {
        return endsWithSession;
    }

    long now() {
        return clock.nanos();
    }
}
