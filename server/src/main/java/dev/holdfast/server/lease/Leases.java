package dev.holdfast.server.lease;

import dev.holdfast.LossReason;
import dev.holdfast.StoreUnavailableException;
import dev.holdfast.server.wire.Problem;
import dev.holdfast.server.wire.Problem.Code;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.OwnerId;
import dev.holdfast.spi.ReleaseOutcome;
import dev.holdfast.spi.RenewOutcome;
import dev.holdfast.spi.StoreListener;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Leases of clients on the other side of the wire: asks for them, renews them, gives them back. Thread-safe. */
public final class Leases implements StoreListener {
    /** The longest first lease of a grant that was waited for, until its client is found to be still there. */
    private static final Duration LONGEST_PROVISIONAL = Duration.ofSeconds(3);

    private static final long SHORTEST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_POLL_NANOS = TimeUnit.SECONDS.toNanos(4);
    private static final int JITTER_DIVISOR = 10;
    private static final long CLOCK_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int MOST_REMEMBERED = 10_000;

    private final StoreLink link;
    private final StoreThreads threads;
    private final Secret secret;
    private final Consumer<Throwable> defects;
    private final long instance;
    private final int mostWaitersPerClient;
    private final int mostWaiters;
    private final Kept kept;
    private final Leftovers leftovers;
    private final Polls polls;
    private final Repetitions repetitions;
    private final SecureRandom random = new SecureRandom();
    private final Map<OwnerId, Acquisition> asking = new ConcurrentHashMap<>();
    private final Set<Acquisition> all = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> waitersOf = new ConcurrentHashMap<>();
    private final AtomicInteger waiters = new AtomicInteger();

    /** The newest grants that were handed out here, to tell repeated requests; a set in a map. */
    private final Map<Grant, Boolean> toldOf = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Grant, Boolean> eldest) {
            return size() > MOST_REMEMBERED;
        }
    });

    private volatile boolean stopping;

    /**
     * Sets up.
     *
     * @param link the store
     * @param threads the threads that call it
     * @param secret what all instances share
     * @param mostWaitersPerClient how many requests of one client may wait
     * @param mostWaiters how many requests may wait in all
     * @param defects is told of what should not happen
     */
    public Leases(
            StoreLink link,
            StoreThreads threads,
            Secret secret,
            int mostWaitersPerClient,
            int mostWaiters,
            Consumer<Throwable> defects) {
        this.link = link;
        this.threads = threads;
        this.secret = secret;
        this.defects = defects;
        this.mostWaitersPerClient = mostWaitersPerClient;
        this.mostWaiters = mostWaiters;
        this.instance = link.hasSessions() ? random.nextLong() | 1 : 0;
        this.leftovers = new Leftovers(link, threads);
        this.kept = new Kept(threads, leftovers::release);
        this.polls = new Polls(link, threads);
        this.repetitions = new Repetitions(link, secret);
    }

    /** {@return the lease that a grant has until its client is found to be still there} */
    static Duration provisional(Duration lease) {
        Duration half = lease.dividedBy(2);
        return half.compareTo(LONGEST_PROVISIONAL) < 0 ? half : LONGEST_PROVISIONAL;
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
            throw new Problem(Code.UNAVAILABLE, "this server is stopping; another instance can answer");
        }
        if (!ask.maxWait().isZero()) {
            countWaiter(ask.principal());
        }
        Acquisition acquisition = new Acquisition(this, ask, asker, arrivedNanos);
        all.add(acquisition);
        ask(acquisition, acquisition::first);
        return acquisition::end;
    }

    private void countWaiter(String principal) {
        if (waitersOf.merge(principal, 1, Integer::sum) > mostWaitersPerClient) {
            uncountWaiter(principal);
            throw new Problem(
                    Code.TOO_MANY,
                    "this client has " + mostWaitersPerClient + " waiting requests already, which is the limit");
        }
        if (waiters.incrementAndGet() > mostWaiters) {
            uncountWaiter(principal);
            waiters.decrementAndGet();
            throw new Problem(
                    Code.UNAVAILABLE, mostWaiters + " requests are waiting already, which is the limit of this server");
        }
    }

    private void uncountWaiter(String principal) {
        waitersOf.computeIfPresent(principal, (same, count) -> count == 1 ? null : count - 1);
    }

    /** An acquisition has its answer. */
    void ended(Acquisition acquisition) {
        asking.remove(acquisition.claim().owner(), acquisition);
        if (all.remove(acquisition) && !acquisition.ask().maxWait().isZero()) {
            waiters.decrementAndGet();
            uncountWaiter(acquisition.ask().principal());
        }
    }

    /** {@return how many requests wait, or are being asked for} */
    public int askingCount() {
        return all.size();
    }

    /** {@return how many leases this instance has to keep itself, because the store has sessions} */
    public int keptCount() {
        return kept.count();
    }

    /** Answers every waiting request, because the server stops. */
    public void stop() {
        stopping = true;
        all.forEach(Acquisition::end);
    }

    /**
     * Reads a lease id.
     *
     * @param text as it was sent
     * @param principal who asks
     * @return the id
     * @throws Problem if it is not one, or another's
     */
    public LeaseId read(String text, String principal) {
        LeaseId id = secret.read(text);
        if (id.principal() != secret.digest(principal)) {
            throw new Problem(Code.FORBIDDEN, "this lease belongs to another client");
        }
        if (id.instance() != instance) {
            throw new Problem(
                    Code.LEASE_ELSEWHERE,
                    "with this store a lease lives in the session of the instance that granted it: it is another"
                            + " instance's, or ended when that one was restarted");
        }
        return id;
    }

    /**
     * Renews a lease; on a thread that may block.
     *
     * @param id the lease
     * @param lease for how long, from now on
     * @return the lease
     * @throws Problem if it is lost, or nobody can tell
     */
    public HeldLease renew(LeaseId id, Duration lease) {
        List<Grant> grants = lasting(grants(id), lease);
        long sent = link.now();
        List<RenewOutcome> outcomes;
        try {
            outcomes = link.store().renew(grants);
        } catch (StoreUnavailableException unanswered) {
            throw cannotTell(unanswered);
        }
        for (RenewOutcome outcome : outcomes) {
            if (outcome instanceof RenewOutcome.Lost lost) {
                kept.ended(id.owner(), new Kept.Ending(false, lost.reason()));
                if (grants.size() > 1) {
                    leftovers.release(grants);
                }
                throw lost(lost.reason());
            }
        }
        for (RenewOutcome outcome : outcomes) {
            if (outcome instanceof RenewOutcome.Unknown unknown) {
                throw cannotTell(unknown.cause());
            }
        }
        long until = Validity.ofRenewals(sent, outcomes, lease);
        if (link.hasSessions() && !kept.extend(id.owner(), sent + lease.toNanos() - link.now())) {
            // Its time was over in this very moment, and it is being given back.
            throw lost(LossReason.EXPIRED);
        }
        LeaseId renewed = id.lasting(lease);
        return new HeldLease(renewed, secret.sign(renewed), until, false);
    }

    /**
     * Gives a lease back; on a thread that may block.
     *
     * @param id the lease
     * @throws Problem if it is lost, or nobody can tell
     */
    public void release(LeaseId id) {
        List<Grant> grants = grants(id);
        List<ReleaseOutcome> outcomes;
        try {
            outcomes = link.store().release(grants);
        } catch (StoreUnavailableException unanswered) {
            leftovers.release(grants);
            throw cannotTell(unanswered);
        }
        for (ReleaseOutcome outcome : outcomes) {
            if (outcome instanceof ReleaseOutcome.Unknown unknown) {
                leftovers.release(grants);
                throw cannotTell(unknown.cause());
            }
        }
        kept.ended(id.owner(), new Kept.Ending(true, null));
        if (outcomes.contains(ReleaseOutcome.NOT_HELD)) {
            throw new Problem(
                    Code.LEASE_LOST,
                    "the lease was not held any more: it was lost before, or an earlier request has released it");
        }
    }

    /**
     * Gives a lease back for a client that does not wait for an answer, until the store has answered.
     *
     * @param id the lease
     */
    public void releaseForGood(LeaseId id) {
        List<Grant> grants = link.hasSessions()
                ? kept.grants(id.owner()).filter(held -> isOf(id, held)).orElse(List.of())
                : id.grants(id.lease());
        kept.ended(id.owner(), new Kept.Ending(true, null));
        if (!grants.isEmpty()) {
            leftovers.release(grants);
        }
    }

    /**
     * Listens to the end of a lease, as far as this instance hears of it.
     *
     * @param id the lease
     * @param whenLost told why
     * @param whenReleased told that a client gave it back
     * @return to be run to stop that
     */
    public Runnable watch(LeaseId id, Consumer<LossReason> whenLost, Runnable whenReleased) {
        return kept.watch(id.owner(), ending -> {
            LossReason reason = ending.reason();
            if (ending.released() || reason == null) {
                whenReleased.run();
            } else {
                whenLost.accept(reason);
            }
        });
    }

    private List<Grant> grants(LeaseId id) {
        if (!link.hasSessions()) {
            return id.grants(id.lease());
        }
        return kept.grants(id.owner()).filter(grants -> isOf(id, grants)).orElseThrow(() -> lost(LossReason.EXPIRED));
    }

    /** The key of a request may have been used again, so that its owner holds a later grant. */
    private static boolean isOf(LeaseId id, List<Grant> grants) {
        return grants.stream().allMatch(grant -> {
            int at = id.names().indexOf(grant.name());
            return at >= 0 && grant.epoch() == id.epochs().get(at);
        });
    }

    private static Problem lost(LossReason reason) {
        return new Problem(
                        Code.LEASE_LOST,
                        "the lease is not held any more: " + reason.explanation()
                                + (reason == LossReason.EXPIRED ? ", or it was released" : ""))
                .with("reason", word(reason));
    }

    /**
     * Names a reason as the API does.
     *
     * @param reason why a lease was lost
     * @return such as {@code session-lost}
     */
    public static String word(LossReason reason) {
        return reason.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Problem cannotTell(RuntimeException cause) {
        return new Problem(Code.CANNOT_TELL, String.valueOf(cause.getMessage()));
    }

    static List<Grant> lasting(List<Grant> grants, Duration lease) {
        return grants.stream()
                .map(grant -> new Grant(
                        grant.name(),
                        grant.owner(),
                        grant.epoch(),
                        lease,
                        grant.validFor(),
                        grant.session(),
                        grant.wanted()))
                .toList();
    }

    /** {@return a lease that is about to be handed out} */
    HeldLease handedOut(Ask ask, String scope, List<Grant> grants, long validUntilNanos, boolean repeated) {
        if (link.hasSessions()) {
            kept.keep(grants, scope, ask.lease().toNanos());
        }
        toldOf.put(memento(grants.get(0)), true);
        // The name in the request's path comes first: its token is "the" token.
        List<Grant> ordered = new ArrayList<>(grants);
        ordered.sort(Comparator.comparing(grant -> !grant.name().equals(ask.name())));
        LeaseId id = new LeaseId(
                instance,
                grants.get(0).owner(),
                ask.kind(),
                ask.units(),
                ask.capacity(),
                ask.lease(),
                secret.digest(ask.principal()),
                ask.key(),
                ordered.stream().map(Grant::name).toList(),
                ordered.stream().map(Grant::epoch).toList());
        return new HeldLease(id, secret.sign(id), validUntilNanos, repeated);
    }

    /** {@return whether an earlier request may have been told of a grant} */
    boolean wasToldBefore(List<Grant> grants, @Nullable Duration left, Duration lease) {
        return toldOf.containsKey(memento(grants.get(0)))
                || (left != null && left.plusNanos(CLOCK_STEP_NANOS).compareTo(lease) < 0);
    }

    private static Grant memento(Grant grant) {
        return new Grant(grant.name(), grant.owner(), grant.epoch(), Duration.ZERO, null, null, false);
    }

    /** Finds the lease of an earlier request with the same key that waited, and renews it. */
    Optional<HeldLease> findRepetition(Ask ask, String scope) {
        if (!ask.keyGiven()) {
            return Optional.empty();
        }
        Optional<List<Grant>> found = link.hasSessions()
                ? kept.ownerOf(scope).flatMap(kept::grants)
                : repetitions.find(ask, scope).map(Repetitions.Found::grants);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        List<Grant> grants = lasting(found.get(), ask.lease());
        long sent = link.now();
        List<RenewOutcome> outcomes = link.store().renew(grants);
        if (!outcomes.stream().allMatch(RenewOutcome.Renewed.class::isInstance)) {
            return Optional.empty();
        }
        return Optional.of(handedOut(ask, scope, grants, Validity.ofRenewals(sent, outcomes, ask.lease()), true));
    }

    /** Ends what was granted to a client that was never told of it and cannot ask again. */
    void takeBack(Claim claim) {
        kept.ended(claim.owner(), new Kept.Ending(true, null));
        leftovers.withdraw(claim, true);
    }

    void withdraw(Claim claim, boolean mayStillArrive) {
        leftovers.withdraw(claim, mayStillArrive);
    }

    void giveBack(List<Grant> grants) {
        leftovers.release(grants);
    }

    Claim claim(Ask ask, OwnerId owner, Duration lease, String tag, boolean queue) {
        String clientName = tag.isEmpty() ? ask.shownAs() : Secret.tagged(ask.shownAs(), tag);
        return new Claim(ask.parts(), owner, lease, new Claim.HolderInfo(clientName, ask.label()), queue);
    }

    OwnerId randomOwner() {
        return new OwnerId(random.nextLong(), random.nextLong());
    }

    OwnerId ownerOf(String scope) {
        return secret.owner(instance, scope);
    }

    OwnerId waitingOwner(String scope, String tag) {
        return secret.waitingOwner(instance, scope, tag);
    }

    String newTag(String scope, Duration provisional) {
        return repetitions.newTag(scope, provisional);
    }

    void register(OwnerId owner, Acquisition acquisition) {
        asking.put(owner, acquisition);
    }

    void poll(Acquisition acquisition) {
        polls.add(acquisition);
    }

    /** Runs a step of an acquisition where it may block. */
    void ask(Acquisition acquisition, Runnable step) {
        try {
            threads.ask(step);
        } catch (Problem full) {
            acquisition.failed(full);
        }
    }

    ScheduledFuture<?> later(long nanos, Runnable task) {
        return threads.later(nanos, task);
    }

    /** {@return when to ask again, if nothing is heard before; with jitter, so that not everybody asks at once} */
    long pollDelay(long hintNanos) {
        long delay = Math.max(SHORTEST_POLL_NANOS, Math.min(LONGEST_POLL_NANOS, hintNanos));
        return delay + ThreadLocalRandom.current().nextLong(delay / JITTER_DIVISOR + 1);
    }

    LockStore store() {
        return link.store();
    }

    long now() {
        return link.now();
    }

    /** {@return whether the server is stopping} */
    public boolean isStopping() {
        return stopping;
    }

    Problem defect(Throwable unexpected) {
        defects.accept(unexpected);
        return new Problem(Code.INTERNAL, "the server could not do this; its log says why");
    }

    @Override
    public void retry(String name, OwnerId owner) {
        Acquisition waiting = asking.get(owner);
        if (waiting != null) {
            waiting.due();
        }
    }

    @Override
    public void granted(List<Grant> grants, long anchorNanos) {
        Acquisition waiting = asking.get(grants.get(0).owner());
        if (waiting != null) {
            waiting.granted(grants);
        }
    }

    @Override
    public void wanted(String name, long epoch) {}

    @Override
    public void lost(String name, OwnerId owner, long epoch, LossReason reason) {
        kept.ended(owner, new Kept.Ending(false, reason));
    }

    @Override
    public void sessionLost(String session) {
        kept.sessionLost(session);
    }
}
