package dev.holdfast.server.lease;

import dev.holdfast.LossReason;
import dev.holdfast.server.history.History;
import dev.holdfast.server.history.Holding;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.StoreListener;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The requests for leases that have no answer yet, and what they need for one. Thread-safe. */
public final class LeaseRequests implements StoreListener {
    private static final long SHORTEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_POLL_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final int JITTER_DIVISOR = 10;

    private final StoreLink link;
    private final StoreThreads threads;
    private final Leases leases;
    private final History history;
    private final Quota waiting;
    private final Consumer<Throwable> defects;
    private final Claims claims;
    private final Handout handout;
    private final Polls polls;
    private final Map<OwnerId, Acquisition> asking = new ConcurrentHashMap<>();
    private final Set<Acquisition> all = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    /**
     * Sets up.
     *
     * @param link the store
     * @param threads the threads that call it
     * @param secret what all instances share
     * @param leases what is done with leases later
     * @param history is told of grants and losses
     * @param waiting how many requests may wait
     * @param defects is told of what should not happen
     */
    public LeaseRequests(
            StoreLink link,
            StoreThreads threads,
            Secret secret,
            Leases leases,
            History history,
            Quota waiting,
            Consumer<Throwable> defects) {
        this.link = link;
        this.threads = threads;
        this.leases = leases;
        this.history = history;
        this.waiting = waiting;
        this.defects = defects;
        Repetitions repetitions = new Repetitions(link, secret);
        this.claims = new Claims(secret, leases.instance(), repetitions);
        this.handout = new Handout(link, secret, leases, repetitions, history);
        this.polls = new Polls(link, threads);
    }

    /**
     * Asks for a lease. The asker is told on any thread, once.
     *
     * @param ask what is asked for
     * @param asker who asks
     * @param arrivedNanos when the request arrived
     * @return to be run when the client has gone
     * @throws Problem if too many wait
     */
    public Runnable acquire(Ask ask, Asker asker, long arrivedNanos) {
        if (stopping) {
            throw Refusals.stopping();
        }
        if (!ask.maxWait().isZero()) {
            waiting.take(ask.principal());
        }
        Acquisition acquisition = new Acquisition(this, ask, asker, arrivedNanos);
        all.add(acquisition);
        ask(acquisition, acquisition::first);
        return acquisition::end;
    }

    /** An acquisition has its answer. */
    void ended(Acquisition acquisition) {
        asking.remove(acquisition.claim().owner(), acquisition);
        if (all.remove(acquisition) && !acquisition.ask().maxWait().isZero()) {
            waiting.giveBack(acquisition.ask().principal());
        }
    }

    /** {@return how many requests wait, or are being asked for} */
    public int count() {
        return all.size();
    }

    /**
     * Answers the waiting requests of some clients, because what they may do is not what it was.
     *
     * @param principals the clients
     */
    public void refuse(Set<String> principals) {
        all.forEach(acquisition -> {
            if (principals.contains(acquisition.ask().principal())) {
                acquisition.refuseWaiting();
            }
        });
    }

    /** Answers every waiting request, because the server stops. */
    public void stop() {
        stopping = true;
        all.forEach(Acquisition::end);
    }

    /** {@return whether the server is stopping} */
    public boolean isStopping() {
        return stopping;
    }

    /** The store's messages for this owner go to this acquisition. */
    void register(OwnerId owner, Acquisition acquisition) {
        asking.put(owner, acquisition);
    }

    /** {@return whether a request that is under way here asks under this name} */
    boolean isAskingAs(String clientName) {
        return asking.values().stream()
                .anyMatch(each -> each.claim().holder().clientName().equals(clientName));
    }

    /** Runs a step of an acquisition where it may block. */
    void ask(Acquisition acquisition, Runnable step) {
        try {
            threads.ask(step);
        } catch (Problem full) {
            acquisition.failed(full);
        }
    }

    /** Asks again, together with others. */
    void poll(Acquisition acquisition) {
        polls.add(acquisition);
    }

    /** {@return when to ask again, if nothing is heard before; with jitter, so that not everybody asks at once} */
    static long pollDelay(long hintNanos) {
        long delay = Math.max(SHORTEST_POLL_NANOS, Math.min(LONGEST_POLL_NANOS, hintNanos));
        return delay + ThreadLocalRandom.current().nextLong(delay / JITTER_DIVISOR + 1);
    }

    ScheduledFuture<?> later(long nanos, Runnable task) {
        return threads.later(nanos, task);
    }

    Problem defect(Throwable unexpected) {
        defects.accept(unexpected);
        return Refusals.defect();
    }

    StoreLink link() {
        return link;
    }

    LockStore store() {
        return link.store();
    }

    long now() {
        return link.now();
    }

    Claims claims() {
        return claims;
    }

    Handout handout() {
        return handout;
    }

    Leftovers leftovers() {
        return leases.leftovers();
    }

    @Override
    public void retry(String name, OwnerId owner) {
        Acquisition waiter = asking.get(owner);
        if (waiter != null) {
            waiter.due();
        }
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        Acquisition waiter = asking.get(grants.get(0).owner());
        if (waiter != null) {
            waiter.granted(grants);
        }
    }

    /** Nobody keeps a lock here that it does not use. */
    @Override
    public void wanted(String name, long epoch) {}

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        // Who evicted, and why, is seen at the next look.
        if (reason != LossReason.EVICTED) {
            history.ended(name, Grant.token(epoch, 0), Holding.Ending.lost(Leases.word(reason)));
        }
        leases.kept().ended(owner, new Kept.Ending(false, reason));
    }

    @Override
    public void sessionLost(String session) {
        leases.kept().sessionLost(session);
    }
}
