package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.HoldfastListener;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.AcquireOutcome;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The gates of one client, and what they share. Thread-safe.
 *
 * <p>Longer than most files, because it is the one place that the parts of the engine find each other through.
 */
final class Engine {
    private static final int MOST_IDLE_GATES = 1_024;
    private static final int MOST_YIELDS = 3;
    private static final int MOST_GOODBYE_LOOKS = 25_000;
    private static final long GOODBYE_LOOK_NANOS = 200_000;
    private static final int MOST_RELEASES_PER_REQUEST = 1_000;

    private final String clientName;
    private final Surroundings surroundings;
    private final Executor callbacks;
    private final Events events;
    private final Renewer renewer;
    private final Poller poller;
    private final Settler settler;
    private final Pace pace;
    private final LeakWatch leaks = new LeakWatch();
    private final ConcurrentMap<String, Gate> gates = new ConcurrentHashMap<>();

    /** Tenures that do not belong to a gate: of shared locks and of several names. */
    private final ConcurrentMap<OwnerId, Tenure> detached = new ConcurrentHashMap<>();

    /** Claims of such locks that are not decided. */
    private final ConcurrentMap<OwnerId, Contender> undecided = new ConcurrentHashMap<>();

    /** How many threads are giving a lease back. */
    private final LongAdder releasing = new LongAdder();

    private @Nullable LockStore store;
    private boolean seesWaiters;
    private boolean pushes;
    private volatile boolean closed;

    Engine(String clientName, Surroundings surroundings, @Nullable HoldfastListener listener) {
        this.clientName = clientName;
        this.surroundings = surroundings;
        this.callbacks = surroundings.callbacks();
        this.events = new Events(listener, callbacks, this::now);
        this.renewer = new Renewer(surroundings);
        this.poller = new Poller(surroundings);
        this.settler = new Settler(this);
        this.pace = new Pace(surroundings.random());
    }

    /** Tells the engine its store; called once, before anything else. */
    void attach(LockStore opened) {
        store = opened;
        seesWaiters = opened.traits().promises(StoreTraits.Promise.SEES_WAITERS);
        pushes = opened.traits().promises(StoreTraits.Promise.PUSHES);
    }

    /**
     * Acquires on the calling thread.
     *
     * @return the lease, or null if somebody else has the lock
     */
    @Nullable
    HeldLease acquire(Terms terms, long waitNanos) throws InterruptedException {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, false);
        callHere(enter(waiter), waiter.startedNanos);
        long until = waitNanos == Long.MAX_VALUE ? waitNanos : waiter.startedNanos + waitNanos;
        if (waiter.isSettled() || waiter.await(surroundings.clock(), until)) {
            return waiter.outcome();
        }
        if (!waiter.leave()) {
            waiter.awaitSettled();
            return waiter.outcome();
        }
        RuntimeException lastWord = leaveLine(waiter);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while waiting for '" + terms.describe() + "'");
        }
        if (lastWord != null) {
            throw lastWord;
        }
        notAcquired(waiter, null);
        return null;
    }

    /** Tries once on the calling thread. */
    @Nullable
    HeldLease tryAcquire(Terms terms) {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, true);
        callHere(enter(waiter), waiter.startedNanos);
        waiter.awaitSettled();
        return waiter.outcome();
    }

    /** Acquires without a thread; completes with null if somebody else has the lock. */
    CompletableFuture<@Nullable HeldLease> acquireAsync(Terms terms, long waitNanos) {
        return new FutureWaiter(this, terms, waitNanos == 0).start(waitNanos);
    }

    /** Lets a waiter in; returns a claim whose first call the caller has to make, or null. */
    @Nullable
    Contender enter(Waiter waiter) {
        while (true) {
            String key = waiter.terms.gateKey;
            Gate gate = gates.get(key);
            if (gate == null) {
                gate = gates.computeIfAbsent(key, absent -> new Gate(this, absent));
            }
            if (gate.contest().enter(waiter)) {
                return waiter.assignment;
            }
            gates.remove(key, gate);
        }
    }

    private void callHere(@Nullable Contender first, long startedNanos) {
        Contender next = first;
        long sent = startedNanos;
        while (next != null) {
            AcquireOutcome outcome = null;
            Throwable failure = null;
            try {
                outcome = next.firstCall(store());
            } catch (RuntimeException | Error unanswered) {
                failure = unanswered;
            } finally {
                next.underWay();
            }
            next = next.gate.contest().answered(next, sent, outcome, failure);
            sent = now();
        }
    }

    void startInBackground(Waiter waiter) {
        Contender first = enter(waiter);
        if (first != null) {
            callInBackground(first);
        }
    }

    void callInBackground(Contender contender) {
        calls().submit(StoreCalls.Lane.ORDINARY, contender::firstCall, (sent, outcome, failure) -> {
            Contender next = contender.gate.contest().answered(contender, sent, outcome, failure);
            if (next != null) {
                callInBackground(next);
            }
        });
        contender.underWay();
    }

    /** A waiter has given up; returns the last word from the store, if that was a failure. */
    @Nullable
    RuntimeException leaveLine(Waiter waiter) {
        Gate gate = waiter.gate;
        return gate == null ? Contender.noAnswer(waiter.terms) : gate.contest().leave(waiter);
    }

    /** Speed depends on the scheduler here, correctness does not. */
    @SuppressWarnings("ThreadPriorityCheck")
    Parting release(Hold hold) {
        Gate gate = hold.tenure.gate;
        releasing.increment();
        try {
            for (int yields = 0; yields < MOST_YIELDS && gate.tenancy().isMissed(hold); yields++) {
                Thread.yield();
            }
            Parting parting = gate.tenancy().release(hold);
            return parting == Parting.RELEASE_AT_STORE
                    ? parted(hold, settler.releaseNow(store(), hold.tenure))
                    : parting;
        } finally {
            releasing.decrement();
        }
    }

    CompletableFuture<Parting> releaseAsync(Hold hold) {
        releasing.increment();
        try {
            Parting parting = hold.tenure.gate.tenancy().release(hold);
            return parting == Parting.RELEASE_AT_STORE
                    ? releaseInBackground(hold)
                    : CompletableFuture.completedFuture(parting);
        } finally {
            releasing.decrement();
        }
    }

    private CompletableFuture<Parting> releaseInBackground(Hold hold) {
        CompletableFuture<Parting> later = new CompletableFuture<>();
        calls().submit(StoreCalls.Lane.ORDINARY, to -> to.release(hold.tenure.grants), (sent, outcomes, failure) -> {
            Parting result = parted(hold, settler.released(hold.tenure, outcomes));
            callbacks.execute(() -> later.complete(result));
        });
        return later;
    }

    private Parting parted(Hold hold, boolean wasHeld) {
        Gate waiting = pushes ? null : gates.get(hold.tenure.terms.gateKey);
        if (waiting != null) {
            waiting.contest().hint(null);
        }
        if (wasHeld) {
            return Parting.RELEASED;
        }
        hold.tenure.gate.tenancy().noticeNotHeld(hold);
        return Parting.LOST_BEFORE;
    }

    void notAcquired(Waiter waiter, @Nullable RuntimeException fault) {
        Aftermath aftermath = new Aftermath();
        events.notAcquired(waiter, fault, aftermath);
        aftermath.run();
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
    void shortenDeadlines(long byNanos) {
        forEachTenure(held -> held.gate.tenancy().shorten(held, byNanos));
    }

    void forEachTenure(Consumer<Tenure> action) {
        for (Gate gate : gates.values()) {
            Tenure held = gate.tenancy().tenure();
            if (held != null) {
                action.accept(held);
            }
        }
        detached.values().forEach(action);
    }

    /** As {@link #forEachTenure}, but only those that can hold a name: that of its gate, and those without one. */
    void forEachTenureOf(String name, Consumer<Tenure> action) {
        Gate gate = gates.get(name);
        Tenure held = gate == null ? null : gate.tenancy().tenure();
        if (held != null) {
            action.accept(held);
        }
        detached.values().forEach(action);
    }

    /** Ends everything and gives it back, as far as the store can be reached; called once. */
    void close() {
        closed = true;
        for (Gate gate : gates.values()) {
            Contender last = gate.contest().close();
            if (last != null) {
                settler.withdraw(last.claim, true);
            }
        }
        for (Contender direct : undecided.values()) {
            if (direct.directFor != null) {
                direct.gate.contest().close(direct);
                settler.withdraw(direct.claim, true);
            }
        }
        List<Grant> toRelease = new ArrayList<>();
        forEachTenure(held -> {
            if (held.gate.tenancy().close(held)) {
                if (held.mayHaveStrays) {
                    settler.release(held);
                } else {
                    toRelease.addAll(held.grants);
                }
            }
        });
        for (int from = 0; from < toRelease.size(); from += MOST_RELEASES_PER_REQUEST) {
            settler.release(toRelease.subList(from, Math.min(toRelease.size(), from + MOST_RELEASES_PER_REQUEST)));
        }
        awaitReleases();
        calls().finish();
        sweepGates();
    }

    /** What threads are about to give back must reach the store before the store is closed. */
    private void awaitReleases() {
        boolean interrupted = Thread.interrupted();
        for (int look = 0; look < MOST_GOODBYE_LOOKS && (releasing.sum() != 0 || !settler.owesNothing()); look++) {
            LockSupport.parkNanos(this, GOODBYE_LOOK_NANOS);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    Claim newClaim(Terms terms, boolean queue) {
        return new Claim(terms.parts, surroundings.owners().get(), terms.options.leaseTime(), terms.holder, queue);
    }

    /** Remembers a claim that a push could not be matched to by the name of its gate. */
    void track(Contender fresh) {
        if (!fresh.terms.passesLocally) {
            undecided.put(fresh.claim.owner(), fresh);
        }
    }

    void untrack(Contender decided) {
        if (!decided.terms.passesLocally) {
            undecided.remove(decided.claim.owner());
        }
    }

    void addDetached(Tenure tenure) {
        detached.put(tenure.owner(), tenure);
    }

    void removeDetached(Tenure tenure) {
        detached.remove(tenure.owner(), tenure);
    }

    /** Making a gate for each use of a lock would cost as much as the rest; keeping them all would be a leak. */
    boolean keepsIdleGates() {
        return !closed && gates.size() <= MOST_IDLE_GATES;
    }

    /** Lets go of gates that nobody uses. */
    void sweepGates() {
        gates.values().forEach(Gate::sweep);
    }

    void retire(String key, Gate gate) {
        gates.remove(key, gate);
    }

    @Nullable
    Gate gateOf(String name) {
        return gates.get(name);
    }

    /** The gate that an owner contends at: that of its name, unless it asks for several or for a share. */
    @Nullable
    Gate gateOf(String name, OwnerId owner) {
        Contender known = undecided.get(owner);
        return known != null ? known.gate : gates.get(name);
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

    String clientName() {
        return clientName;
    }

    long now() {
        return surroundings.clock().nanos();
    }

    Timeline timeline() {
        return surroundings.timeline();
    }

    StoreCalls calls() {
        return surroundings.calls();
    }

    Executor callbacks() {
        return callbacks;
    }

    Events events() {
        return events;
    }

    Renewer renewer() {
        return renewer;
    }

    Poller poller() {
        return poller;
    }

    Settler settler() {
        return settler;
    }

    Pace pace() {
        return pace;
    }

    LeakWatch leaks() {
        return leaks;
    }
}
