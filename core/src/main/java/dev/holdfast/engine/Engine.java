package dev.holdfast.engine;

import dev.holdfast.ClientClosedException;
import dev.holdfast.HoldfastListener;
import dev.holdfast.Lease;
import dev.holdfast.LossReason;
import dev.holdfast.StoreTraits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.MonotonicClock;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the gates of one client share: wires the parts together, and is the way in for the client. Thread-safe. */
public final class Engine {
    /** What closing may take beyond one command timeout. */
    private static final long CLOSING_SLACK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long NOT_MEASURED = Long.MIN_VALUE;

    /** The backoff after so many failures is about a second. */
    private static final int FAILURES_OF_A_SECOND = 6;

    public final String clientName;
    final Timeline timeline;
    final StoreCalls calls;
    final Executor callbacks;
    final Executor lossCallbacks;
    final Executor signals;
    public final Events events;
    final Pace pace;
    final boolean staysAwake;
    final Gates gates = new Gates(this);
    final FirstRequests firstRequests = new FirstRequests(this);
    final Renewer renewer = new Renewer(this);
    final Poller poller = new Poller(this);
    final StoreCleanup cleanup = new StoreCleanup(this);
    final Deadlines deadlines = new Deadlines();
    final LostSessions lostSessions = new LostSessions();
    final HandOverCost handOverCost = new HandOverCost();
    final LeakWatch leaks = new LeakWatch();

    private final MonotonicClock clock;
    private final Supplier<OwnerId> owners;
    final long commandTimeoutNanos;

    /** Written once, with the next four, before anybody else knows of the engine. */
    private @Nullable LockStore store;

    boolean seesWaiters;

    /** Whether claims stand in a line at the store, so that nobody is granted who came after them. */
    boolean storeHasLines;

    boolean endsWithSession;
    private boolean pushes;
    private volatile boolean closed;

    Engine(String clientName, Surroundings surroundings, @Nullable HoldfastListener listener) {
        this.clientName = clientName;
        this.clock = surroundings.clock();
        this.timeline = surroundings.timeline();
        this.calls = surroundings.calls();
        this.callbacks = surroundings.callbacks();
        this.lossCallbacks = surroundings.lossCallbacks();
        this.signals = surroundings.signals();
        this.owners = surroundings.owners();
        this.commandTimeoutNanos = surroundings.commandTimeout().toNanos();
        this.staysAwake = surroundings.staysAwake();
        this.pace = new Pace(surroundings.random());
        this.events = new Events(surroundings, listener, new Statistics(this));
    }

    /**
     * Makes the engine of a client.
     *
     * @param clientName its name
     * @param surroundings time, threads and chance
     * @param store opens the store, given whom it tells of what happens
     * @param listener whom to tell of events, or null
     * @return the engine
     */
    public static Engine open(
            String clientName,
            Surroundings surroundings,
            Function<StoreListener, LockStore> store,
            @Nullable HoldfastListener listener) {
        Engine engine = new Engine(clientName, surroundings, listener);
        engine.attach(store.apply(new StoreMessages(engine)));
        return engine;
    }

    /** Begins to look for forgotten leases, and for time that passed while the monotonic clock stood still. */
    public void startJanitor(LongSupplier wallAheadNanos) {
        leaks.keepStacks();
        new Janitor(this, wallAheadNanos).start();
    }

    /** Tells the engine its store; called once, before anything else. */
    void attach(LockStore opened) {
        StoreTraits traits = opened.traits();
        store = events.timed(opened);
        seesWaiters = traits.promises(StoreTraits.Promise.SEES_WAITERS);
        storeHasLines = traits.promises(StoreTraits.Promise.FAIR);
        pushes = traits.promises(StoreTraits.Promise.PUSHES);
        endsWithSession = traits.expiry() == StoreTraits.Expiry.SESSION;
    }

    /**
     * Acquires on the calling thread.
     *
     * @return the lease, or null if somebody else has the lock
     */
    public @Nullable Lease acquire(Terms terms, long waitNanos) throws InterruptedException {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, waitNanos, true);
        firstRequests.sendHere(waiter);
        waiter.await();
        return waiter.outcome();
    }

    /** Acquires on the calling thread and stays in line when interrupted; with no time to wait it tries once. */
    public @Nullable Lease acquireUninterruptibly(Terms terms, long waitNanos) {
        BlockedWaiter waiter = new BlockedWaiter(this, terms, waitNanos, false);
        firstRequests.sendHere(waiter);
        waiter.awaitUninterruptibly();
        return waiter.outcome();
    }

    /** Acquires without a thread; completes with null if somebody else has the lock. */
    public CompletableFuture<@Nullable Lease> acquireAsync(Terms terms, long waitNanos) {
        return new FutureWaiter(this, terms, waitNanos, callbacks).start();
    }

    /** Acquires for the client itself, without limit: its own next step must not wait for user code. */
    public CompletableFuture<@Nullable Lease> acquireForClient(Terms terms) {
        return new FutureWaiter(this, terms, Long.MAX_VALUE, signals).start();
    }

    /** Tells the client itself of the loss of a lease that it took; that does not wait for user code either. */
    public void onLostForClient(Lease own, Consumer<LossReason> action) {
        ((HeldLease) own).onLost(signals, action);
    }

    ReleaseResult release(Hold hold) {
        cleanup.closingWaits();
        try {
            ReleaseResult result = hold.grant.gate.release(hold);
            if (result != ReleaseResult.RELEASE_AT_STORE) {
                return result;
            }
            // What a hand-over costs matters only while others wait.
            long sent = hold.grant.wanted ? now() : NOT_MEASURED;
            List<ReleaseOutcome> outcomes = StoreCleanup.tryRelease(store(), hold.grant.grants);
            cleanup.firstReleaseAnswered(hold.grant, outcomes);
            return judgeRelease(hold, sent, outcomes);
        } finally {
            cleanup.closingNeedNotWait();
        }
    }

    CompletableFuture<ReleaseResult> releaseAsync(Hold hold) {
        cleanup.closingWaits();
        try {
            ReleaseResult result = hold.grant.gate.release(hold);
            if (result != ReleaseResult.RELEASE_AT_STORE) {
                return CompletableFuture.completedFuture(result);
            }
            CompletableFuture<ReleaseResult> later = new CompletableFuture<>();
            cleanup.release(hold.grant, (sent, outcomes) -> {
                ReleaseResult answer = judgeRelease(hold, sent, outcomes);
                callbacks.execute(() -> later.complete(answer));
            });
            return later;
        } finally {
            cleanup.closingNeedNotWait();
        }
    }

    private ReleaseResult judgeRelease(Hold hold, long sentNanos, @Nullable List<ReleaseOutcome> outcomes) {
        HeldGrant released = hold.grant;
        if (released.wanted && outcomes != null) {
            long now = now();
            if (sentNanos != NOT_MEASURED) {
                handOverCost.measured(now - sentNanos);
            }
            if (released.gate instanceof ExclusiveGate exclusive) {
                exclusive.countReturnGapFrom(now);
            }
        }
        // Past the deadline the grant may have ended while its release was on the way: that is not a loss.
        if (outcomes == null || !StoreCleanup.isNotHeld(outcomes) || now() >= released.validUntilNanos) {
            return ReleaseResult.RELEASED;
        }
        released.noticeNotHeld(hold);
        return ReleaseResult.LOST_BEFORE;
    }

    Claim newClaim(Waiter asker, boolean queue) {
        Terms terms = asker.terms;
        return new Claim(terms.parts, asker.takeOwner(), terms.options.leaseTime(), terms.holder, queue);
    }

    /** Draws random bits, which may take its time. */
    OwnerId newOwner() {
        return owners.get();
    }

    /** The store has taken a grant back. Where it tells nobody, those who wait in this client are told to ask. */
    void gaveBack(Terms released) {
        if (!pushes) {
            gates.hintWaitersOf(released);
        }
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

    /** Runs a task of the client itself after a pause of about a second, where it does not wait for user code. */
    public void tryAgainLater(Runnable task) {
        Timed again = new Timed() {
            @Override
            public void onDue() {
                signals.execute(task);
            }
        };
        timeline.schedule(again, now() + pace.backoff(FAILURES_OF_A_SECOND));
    }

    /** Gives back the leases whose handles were forgotten. */
    void releaseForgotten() {
        leaks.forEachForgotten(hold -> {
            if (hold.state == Hold.State.HELD) {
                try {
                    callbacks.execute(() -> events.leaked(hold));
                } finally {
                    releaseAsync(hold);
                }
            }
        });
    }

    /** Ends leases whose time may have passed while the monotonic clock stood still. */
    void timeJumped(long byNanos) {
        deadlines.timeJumped(now(), byNanos);
        gates.forEachGrant(held -> held.shorten(byNanos));
    }

    /** Ends everything, gives it back as far as the store can be reached in time, and closes the store; called once. */
    public void close() {
        long until = now() + longestClosingNanos();
        try {
            closed = true;
            events.hurry();
            gates.close();
            cleanup.hurry();
            calls.finish(cleanup::isDone, until);
            gates.sweep();
        } finally {
            calls.close(store(), until);
        }
    }

    /** How long closing may take. */
    public long longestClosingNanos() {
        return commandTimeoutNanos + CLOSING_SLACK_NANOS;
    }

    /** {@return the store, for what concerns no lease of this client} */
    public LockStore store() {
        return Objects.requireNonNull(store, "store");
    }

    /** Refuses what needs an open client. */
    public void ensureOpen() {
        if (closed) {
            throw new ClientClosedException(clientName);
        }
    }

    /** Whether the client closes or has closed. */
    public boolean isClosed() {
        return closed;
    }

    /** {@return the time by the client's clock} */
    public long now() {
        return clock.nanos();
    }
}
